// A value of a TOML file: a number, a text, a list, a table, and so on. It hides the TOML parser, which is slow to
// compile: only parse.cc includes it. All functions are pure.
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
  std::string text = {};  // the text of a string or of a date
  std::vector<Value> items = {};
  std::vector<std::pair<std::string, Value>> entries = {};  // sorted by name
  bool tables = false;                                      // whether it is a list of tables: [[name]]
  std::int64_t line = 0;

  bool is(Type other) const { return type == other; }
};

// Parses a TOML text. `file` appears in error messages. Throws ConfigError if the text is not valid TOML.
Value parse_toml(const std::string& text, const std::string& file);

// Returns the value as the user would write it. Long values are shortened, never inside a UTF-8 character.
std::string shown(const Value& value);

}  // namespace pollen
