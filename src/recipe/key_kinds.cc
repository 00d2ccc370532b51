#include "key_kinds.h"

namespace pollen {

namespace {

// Writes a bound as 1e-6 or 1e12, not as 1e-06 or 1000000000000.
std::string bound(double x) {
  std::string text = std::abs(x) < 1e6 ? fmt::format("{}", x) : fmt::format("{:g}", x);
  for (const char* padding : {"-0", "+"})
    if (const auto at = text.find(std::string("e") + padding); at != std::string::npos)
      text.replace(at, 1 + std::string(padding).size(), *padding == '-' ? "e-" : "e");
  return text;
}

}  // namespace

std::string Range::words() const {
  std::string out;
  if (least_open && most_open) return fmt::format(" between {} and {}", bound(least), bound(most));
  if (std::isfinite(least)) out += fmt::format(" {} {}", least_open ? "above" : "from", bound(least));
  if (std::isfinite(most))
    out += fmt::format(" {} {}", most_open ? "to below" : least_open ? "up to" : "to", bound(most));
  return out;
}

std::string integer_words(std::int64_t least, std::int64_t most) {
  if (most < (std::int64_t{1} << 30)) return fmt::format("an integer from {} to {}", least, most);
  return fmt::format("an integer from {}", least);
}

bool read_number(const Value& value, const Range& range, double& out) {
  if (!value.is(Value::Type::number) && !value.is(Value::Type::integer)) return false;
  out = value.is(Value::Type::number) ? value.number : static_cast<double>(value.integer);
  return std::isfinite(out) && range.holds(out);
}

bool read_integer(const Value& value, std::int64_t least, std::int64_t most, std::int64_t& out) {
  out = value.integer;
  return value.is(Value::Type::integer) && out >= least && out <= most;
}

bool read_text(const Value& value, std::string& out) {
  out = value.text;
  return value.is(Value::Type::text);
}

bool read_choice(const Value& value, const std::vector<std::string>& choices, std::string& out) {
  return read_text(value, out) && std::ranges::count(choices, out) > 0;
}

bool read_numbers(const Value& value, const Range& range, std::vector<double>& out) {
  out.clear();
  if (!value.is(Value::Type::list)) return read_number(value, range, out.emplace_back());
  for (const Value& item : value.items)
    if (!read_number(item, range, out.emplace_back())) return false;
  return !out.empty();
}

bool read_texts(const Value& value, std::vector<std::string>& out) {
  out.clear();
  if (!value.is(Value::Type::list)) return read_text(value, out.emplace_back());
  return std::ranges::all_of(value.items, [&](const Value& item) { return read_text(item, out.emplace_back()); });
}

bool read_words(const Value& value, const std::vector<std::string>& words, std::vector<std::string>& out) {
  return read_texts(value, out) &&
         std::ranges::all_of(out, [&](const std::string& word) { return std::ranges::count(words, word) > 0; });
}

std::string listed(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : ", ") + toml_string(word);
  return out;
}

std::string write_numbers(const std::vector<double>& values) {
  std::string out;
  for (const double v : values) out += (out.empty() ? "" : ", ") + toml_number(v);
  return fmt::format("[{}]", out);
}

std::string write_texts(const std::vector<std::string>& values) { return fmt::format("[{}]", listed(values)); }

Key number_or_auto(std::string path, Place<std::optional<double>> at, Range range) {
  return {std::move(path), "number", "a number" + range.words() + ", or \"auto\"",
          [=](const Value& v, Config& c) {
            at(c).reset();
            return v.is(Value::Type::text) ? v.text == "auto" : read_number(v, range, at(c).emplace());
          },
          [=](const Config& c) { return get(at, c) ? toml_number(*get(at, c)) : std::string("\"auto\""); }};
}

Key text(std::string path, std::string accepted, Place<std::string> at) {
  return {std::move(path), "string", std::move(accepted),
          [=](const Value& v, Config& c) { return read_text(v, at(c)); },
          [=](const Config& c) { return get(at, c).empty() ? std::string() : toml_string(get(at, c)); }};
}

Key numbers(std::string path, Range range, const char* of_each, Place<std::vector<double>> at) {
  return {std::move(path), "number or list",
          fmt::format("a number{}, or a list of them, one per {}", range.words(), of_each),
          [=](const Value& v, Config& c) { return read_numbers(v, range, at(c)); },
          [=](const Config& c) {
            const std::vector<double>& values = get(at, c);
            if (values.empty()) return std::string();
            return values.size() == 1 ? toml_number(values[0]) : write_numbers(values);
          }};
}

Key texts(std::string path, std::string accepted, Place<std::vector<std::string>> at) {
  return {std::move(path), "list", std::move(accepted), [=](const Value& v, Config& c) { return read_texts(v, at(c)); },
          [=](const Config& c) { return get(at, c).empty() ? std::string() : write_texts(get(at, c)); }};
}

Key words(std::string path, const std::vector<std::string>& choices, Place<std::vector<std::string>> at) {
  Key key = texts(std::move(path), "a list of " + listed(choices), at);
  key.read = [=](const Value& v, Config& c) { return read_words(v, choices, at(c)); };
  return key;
}

}  // namespace pollen
