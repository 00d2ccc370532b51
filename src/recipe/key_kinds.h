// Helpers that build the rows of the key table: one function per kind of key (number, word, list, ...), which supplies
// how the key is read and written. Each section of the configuration has its own function, defined in keys_*.cc.
// Everything here is pure. For example,
//     number("data.dirichlet_alpha", kPositive, AT(data.dirichlet_alpha)).help("...")
// makes the row of a key that accepts a number above 0.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/words.h"
#include "recipe/key.h"
#include "recipe/value.h"

// Names the place of a key's value in a Config.
#define AT(place) (+[](Config& c) -> auto& { return c.place; })

namespace pollen {

std::vector<Key> seed_keys();
std::vector<Key> model_keys();
std::vector<Key> network_model_keys();  // the keys of [model] and [compute] that networks add
std::vector<Key> data_keys();
std::vector<Key> sampler_keys();
std::vector<Key> reference_keys();  // the keys of [sampler] that references and baselines add
std::vector<Key> run_keys();        // the keys of [run] and [participation]
std::vector<Key> output_keys();
std::vector<Key> warm_up_keys();
std::vector<Key> privacy_keys();
std::vector<Key> population_keys();
std::vector<Key> federation_keys();
std::vector<Key> network_time_keys();

std::vector<std::string> compressor_names();

template <class T>
using Place = T& (*)(Config&);
template <class T>
const T& get(Place<T> place, const Config& config) {
  return place(const_cast<Config&>(config));
}

// A key's value may be an optional, which is empty if the key is absent. filled() gives it a value to write to; held()
// returns its value, or null if it is empty.
template <class T>
T& filled(T& value) {
  return value;
}
template <class T>
T& filled(std::optional<T>& value) {
  return value.emplace();
}
template <class T>
const T* held(const T& value) {
  return &value;
}
template <class T>
const T* held(const std::optional<T>& value) {
  return value ? &*value : nullptr;
}

struct Range {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  bool least_open = false;
  bool most_open = false;
  bool holds(double x) const { return (least_open ? x > least : x >= least) && (most_open ? x < most : x <= most); }
  std::string words() const;  // for example " above 0 up to 1"
};

inline constexpr Range kAny{};
inline constexpr Range kPositive{.least = 0, .least_open = true};
inline constexpr Range kFromZero{.least = 0};
inline constexpr Range kUnit{.least = 0, .most = 1};
inline constexpr Range kShare{.least = 0, .most = 1, .least_open = true};  // (0, 1]
inline constexpr Range kRest{.least = 0, .most = 1, .most_open = true};    // [0, 1)
inline constexpr Range kInside{.least = 0, .most = 1, .least_open = true, .most_open = true};
inline constexpr std::int64_t kMost = std::int64_t{1} << 53;

bool read_number(const Value& value, const Range& range, double& out);
bool read_integer(const Value& value, std::int64_t least, std::int64_t most, std::int64_t& out);
bool read_text(const Value& value, std::string& out);
bool read_choice(const Value& value, const std::vector<std::string>& choices, std::string& out);
bool read_numbers(const Value& value, const Range& range, std::vector<double>& out);  // accepts a number or a list
bool read_texts(const Value& value, std::vector<std::string>& out);                   // accepts a string or a list
bool read_words(const Value& value, const std::vector<std::string>& words, std::vector<std::string>& out);
std::string listed(const std::vector<std::string>& words);  // for example "a", "b"
std::string write_numbers(const std::vector<double>& values);
std::string write_texts(const std::vector<std::string>& values);
std::string integer_words(std::int64_t least, std::int64_t most);

template <class T>
Key number(std::string path, Range range, Place<T> at) {
  return {std::move(path), "number", "a number" + range.words(),
          [=](const Value& v, Config& c) { return read_number(v, range, filled(at(c))); },
          [=](const Config& c) { return held(get(at, c)) ? toml_number(*held(get(at, c))) : std::string(); }};
}

template <class T>
Key integer(std::string path, std::int64_t least, std::int64_t most, Place<T> at) {
  return {std::move(path), "integer", integer_words(least, most),
          [=](const Value& v, Config& c) {
            std::int64_t read = 0;
            if (!read_integer(v, least, most, read)) return false;
            auto& out = filled(at(c));
            out = static_cast<std::remove_reference_t<decltype(out)>>(read);
            return true;
          },
          [=](const Config& c) { return held(get(at, c)) ? fmt::format("{}", *held(get(at, c))) : std::string(); }};
}

template <class T>
Key boolean(std::string path, Place<T> at) {
  return {std::move(path), "boolean", "true or false",
          [=](const Value& v, Config& c) {
            filled(at(c)) = v.truth;
            return v.is(Value::Type::boolean);
          },
          [=](const Config& c) {
            return held(get(at, c)) ? std::string(*held(get(at, c)) ? "true" : "false") : std::string();
          }};
}

template <class T>
Key choice(std::string path, std::vector<std::string> words, Place<T> at) {
  return {std::move(path), "string", listed(words),
          [=](const Value& v, Config& c) { return read_choice(v, words, filled(at(c))); },
          [=](const Config& c) { return held(get(at, c)) ? toml_string(*held(get(at, c))) : std::string(); }};
}

// A key whose accepted words are the names in a registry.
template <class T>
Key name(std::string path, std::vector<std::string> (*names)(), Place<T> at) {
  Key key = choice(std::move(path), {}, at);
  key.read = [=](const Value& v, Config& c) { return read_choice(v, names(), filled(at(c))); };
  key.choices = names;
  return key;
}

// Returns the names of the registry rows whose `keys` include `key`, as "a, b".
template <class Rows>
std::string rows_with(const Rows& rows, const std::string& key) {
  std::string names;
  for (const auto& row : rows)
    if (has_word(row.keys, key)) names += fmt::format("{}{}", names.empty() ? "" : ", ", row.name);
  return names;
}

// "auto" leaves the value empty.
Key number_or_auto(std::string path, Place<std::optional<double>> at, Range range = kPositive);
Key text(std::string path, std::string accepted, Place<std::string> at);
// Accepts one number for all, or a list with one number for each of what `of_each` names.
Key numbers(std::string path, Range range, const char* of_each, Place<std::vector<double>> at);
Key texts(std::string path, std::string accepted, Place<std::vector<std::string>> at);
Key words(std::string path, const std::vector<std::string>& choices, Place<std::vector<std::string>> at);

}  // namespace pollen
