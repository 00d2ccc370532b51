#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>

#include "pollen/errors.h"
#include "recipe/key.h"
#include "recipe/value.h"

namespace pollen {

namespace {

Value value_of(const toml::node& node);

void fill(const toml::node& node, Value& value) {
  using Type = Value::Type;
  if (const toml::table* table = node.as_table()) {
    value.type = Type::table;
    for (const auto& [name, inner] : *table) value.entries.emplace_back(std::string(name.str()), value_of(inner));
  } else if (const toml::array* list = node.as_array()) {
    value.type = Type::list;
    value.tables = list->is_array_of_tables();
    for (const toml::node& item : *list) value.items.push_back(value_of(item));
  } else if (const auto* text = node.as_string()) {
    value.type = Type::text;
    value.text = text->get();
  } else if (const auto* integer = node.as_integer()) {
    value.type = Type::integer;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.type = Type::number;
    value.number = number->get();
  } else if (const auto* truth = node.as_boolean()) {
    value.type = Type::boolean;
    value.truth = truth->get();
  } else {
    value.type = Type::date;
    std::ostringstream date;
    node.visit([&](const auto& n) { date << n; });
    value.text = date.str();
  }
}

Value value_of(const toml::node& node) {
  Value value;
  fill(node, value);
  value.line = node.source().begin.line;
  return value;
}

constexpr std::size_t kMostShown = 60;

void show(const Value& value, std::string& out) {
  switch (value.type) {
    case Value::Type::list:
      out += '[';
      for (std::size_t i = 0; i < value.items.size() && out.size() <= kMostShown; ++i) {
        if (i > 0) out += ", ";
        show(value.items[i], out);
      }
      out += ']';
      return;
    case Value::Type::text:
      out += toml_string(value.text.substr(0, 2 * kMostShown));
      return;
    case Value::Type::table:
      out += "a table";
      return;
    case Value::Type::number:
      out += toml_number(value.number);
      return;
    case Value::Type::integer:
      out += fmt::format("{}", value.integer);
      return;
    case Value::Type::boolean:
      out += value.truth ? "true" : "false";
      return;
    case Value::Type::date:
      out += value.text;
  }
}

}  // namespace

std::string shown(const Value& value) {
  std::string text;
  show(value, text);
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end) + "...";
}

Value parse_toml(const std::string& text, const std::string& file) {
  try {
    return value_of(toml::parse(text, file));
  } catch (const toml::parse_error& e) {
    throw ConfigError(fmt::format("{}:{}:{}", file, e.source().begin.line, e.source().begin.column),
                      std::string(e.description()));
  }
}

}  // namespace pollen
