// A value of a TOML file without the parser, which is slow to compile: parse.cc alone includes it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace pollen {

struct Value {
  enum class Type { boolean, integer, number, text, list, table, date };
  Type type = Type::table;
  bool truth = false;
  std::int64_t integer = 0;
  double number = 0;
  std::string text = {};  // a date's too
  std::vector<Value> items = {};
  std::vector<std::pair<std::string, Value>> entries = {};  // sorted by name
  bool tables = false;                                      // a list of tables: [[name]]
  std::int64_t line = 0;

  bool is(Type other) const { return type == other; }
};

// `file` is for errors. ConfigError where the text is no TOML.
Value parse_toml(const std::string& text, const std::string& file);

// The value as the user would write it, cut where it is long, never inside a UTF-8 character.
std::string shown(const Value& value);

}  // namespace pollen
