// The kinds of keys that a configuration has: numbers, words, lists, each with how it is read and written.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema.h"

namespace pollen {

template <class T>
using Member = std::function<T&(Config&)>;

template <class T>
const T& get(const Member<T>& member, const Config& config) {
  return member(const_cast<Config&>(config));
}

inline bool number_of(const toml::node& node, double& out) {
  if (const auto v = node.value<double>(); v && (node.is_floating_point() || node.is_integer())) {
    out = *v;
    return std::isfinite(out);
  }
  return false;
}

inline bool integer_of(const toml::node& node, std::int64_t& out) {
  if (!node.is_integer()) return false;
  out = *node.value<std::int64_t>();
  return true;
}

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool least_open = false;
  bool most_open = false;
  bool holds(double x) const { return (least_open ? x > least : x >= least) && (most_open ? x < most : x <= most); }
};

inline constexpr Range kPositive{.least = 0, .least_open = true};
inline constexpr Range kUnit{.least = 0, .most = 1};
inline constexpr Range kShare{.least = 0, .most = 1, .least_open = true};

inline Key number(std::string path, std::string accepted, Range range, Member<double> m) {
  return {std::move(path), std::move(accepted),
          [=](const toml::node& n, Config& c) { return number_of(n, m(c)) && range.holds(m(c)); },
          [=](const Config& c) { return toml_number(get(m, c)); }};
}

inline Key maybe_number(std::string path, std::string accepted, Range range, Member<std::optional<double>> m) {
  return {std::move(path), std::move(accepted),
          [=](const toml::node& n, Config& c) { return number_of(n, m(c).emplace()) && range.holds(*m(c)); },
          [=](const Config& c) { return get(m, c) ? toml_number(*get(m, c)) : std::string(); }};
}

inline bool read_string(const toml::node& n, std::string& out);

// "auto" leaves it empty.
inline Key number_or_auto(std::string path, Member<std::optional<double>> m) {
  return {std::move(path), "a number above 0, or \"auto\"",
          [=](const toml::node& n, Config& c) {
            std::string word;
            m(c).reset();
            if (read_string(n, word)) return word == "auto";
            return number_of(n, m(c).emplace()) && *m(c) > 0;
          },
          [=](const Config& c) { return get(m, c) ? toml_number(*get(m, c)) : std::string("\"auto\""); }};
}

template <class T>
inline bool read_integer(const toml::node& n, std::int64_t least, std::int64_t most, T& out) {
  std::int64_t v = 0;
  if (!integer_of(n, v) || v < least || v > most) return false;
  out = static_cast<T>(v);
  return true;
}

inline constexpr std::int64_t kMost = std::int64_t{1} << 53;

template <class T>
inline Key integer(std::string path, std::string accepted, std::int64_t least, Member<T> m, std::int64_t most = kMost) {
  return {std::move(path), std::move(accepted),
          [=](const toml::node& n, Config& c) { return read_integer(n, least, most, m(c)); },
          [=](const Config& c) { return fmt::format("{}", get(m, c)); }};
}

template <class T>
inline Key maybe_integer(std::string path, std::string accepted, std::int64_t least, Member<std::optional<T>> m,
                         std::int64_t most = kMost) {
  return {std::move(path), std::move(accepted),
          [=](const toml::node& n, Config& c) { return read_integer(n, least, most, m(c).emplace()); },
          [=](const Config& c) { return get(m, c) ? fmt::format("{}", *get(m, c)) : std::string(); }};
}

inline bool read_bool(const toml::node& n, bool& out) {
  if (!n.is_boolean()) return false;
  out = *n.value<bool>();
  return true;
}

inline Key boolean(std::string path, Member<bool> m) {
  return {std::move(path), "true or false", [=](const toml::node& n, Config& c) { return read_bool(n, m(c)); },
          [=](const Config& c) { return std::string(get(m, c) ? "true" : "false"); }};
}

inline Key maybe_boolean(std::string path, Member<std::optional<bool>> m) {
  return {std::move(path), "true or false",
          [=](const toml::node& n, Config& c) { return read_bool(n, m(c).emplace()); },
          [=](const Config& c) { return get(m, c) ? std::string(*get(m, c) ? "true" : "false") : std::string(); }};
}

inline bool read_string(const toml::node& n, std::string& out) {
  if (!n.is_string()) return false;
  out = *n.value<std::string>();
  return true;
}

inline Key text(std::string path, std::string accepted, Member<std::string> m) {
  return {std::move(path), std::move(accepted), [=](const toml::node& n, Config& c) { return read_string(n, m(c)); },
          [=](const Config& c) { return get(m, c).empty() ? std::string() : toml_string(get(m, c)); }};
}

inline std::string listed(const std::vector<std::string>& choices) {
  std::string out;
  for (const std::string& word : choices) out += fmt::format("{}{}", out.empty() ? "" : ", ", toml_string(word));
  return out;
}

inline bool read_choice(const toml::node& n, const std::vector<std::string>& choices, std::string& out) {
  return read_string(n, out) && std::find(choices.begin(), choices.end(), out) != choices.end();
}

inline Key choice(std::string path, std::vector<std::string> choices, Member<std::string> m) {
  return {std::move(path), listed(choices),
          [=](const toml::node& n, Config& c) { return read_choice(n, choices, m(c)); },
          [=](const Config& c) { return toml_string(get(m, c)); }};
}

inline Key maybe_choice(std::string path, std::vector<std::string> choices, Member<std::optional<std::string>> m) {
  return {std::move(path), listed(choices),
          [=](const toml::node& n, Config& c) { return read_choice(n, choices, m(c).emplace()); },
          [=](const Config& c) { return get(m, c) ? toml_string(*get(m, c)) : std::string(); }};
}

inline bool read_numbers(const toml::node& n, Range range, std::vector<double>& out) {
  out.clear();
  const toml::array* array = n.as_array();
  if (array == nullptr) {
    out.resize(1);
    return number_of(n, out[0]) && range.holds(out[0]);
  }
  for (const toml::node& item : *array) {
    double value = 0;
    if (!number_of(item, value) || !range.holds(value)) return false;
    out.push_back(value);
  }
  return !out.empty();
}

inline bool read_strings(const toml::node& n, std::vector<std::string>& out) {
  out.clear();
  const toml::array* array = n.as_array();
  if (array == nullptr) return read_string(n, out.emplace_back());
  for (const toml::node& item : *array)
    if (!read_string(item, out.emplace_back())) return false;
  return true;
}

// Labels may be written as numbers.
inline bool read_labels(const toml::node& n, std::vector<std::string>& out) {
  out.clear();
  const toml::array* array = n.as_array();
  if (array == nullptr) return false;
  for (const toml::node& item : *array) {
    std::int64_t number = 0;
    if (integer_of(item, number))
      out.push_back(fmt::format("{}", number));
    else if (!read_string(item, out.emplace_back()))
      return false;
  }
  return true;
}

inline std::string write_numbers(const std::vector<double>& values) {
  std::string out;
  for (const double v : values) out += fmt::format("{}{}", out.empty() ? "" : ", ", toml_number(v));
  return fmt::format("[{}]", out);
}

inline Key numbers(std::string path, std::string accepted, Range range, Member<std::vector<double>> m) {
  return {
      std::move(path), std::move(accepted),
      [=](const toml::node& n, Config& c) { return read_numbers(n, range, m(c)); },
      [=](const Config& c) { return get(m, c).size() == 1 ? toml_number(get(m, c)[0]) : write_numbers(get(m, c)); }};
}

inline std::string write_strings(const std::vector<std::string>& values) { return fmt::format("[{}]", listed(values)); }

inline Key strings(std::string path, std::string accepted, Member<std::vector<std::string>> m) {
  return {std::move(path), std::move(accepted), [=](const toml::node& n, Config& c) { return read_strings(n, m(c)); },
          [=](const Config& c) { return get(m, c).empty() ? std::string() : write_strings(get(m, c)); }};
}

inline bool read_matrix(const toml::node& n, std::vector<std::vector<double>>& out) {
  out.clear();
  const toml::array* array = n.as_array();
  if (array == nullptr || array->empty()) return false;
  for (const toml::node& row : *array)
    if (!row.is_array() || !read_numbers(row, {}, out.emplace_back())) return false;
  return true;
}

inline std::string write_matrix(const std::vector<std::vector<double>>& rows) {
  std::string out;
  for (const auto& row : rows) out += fmt::format("{}{}", out.empty() ? "" : ", ", write_numbers(row));
  return rows.empty() ? std::string() : fmt::format("[{}]", out);
}

}  // namespace pollen
