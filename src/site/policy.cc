#include "site/policy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>

#include "base/file.h"
#include "base/sha256.h"
#include "recipe/key.h"
#include "recipe/value.h"

namespace pollen {

namespace {

using Type = Value::Type;

// A key of the file with how it is read and shown.
struct PolicyRow {
  std::string name, accepted, help;
  std::function<bool(const Value&, Policy&)> read;  // returns false if the value is not acceptable
  std::function<std::string(const Policy&)> value;  // as TOML; empty if the key is absent
};

template <class Of>
PolicyRow whole(const char* name, std::int64_t least, Of of, const char* help) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return {name, fmt::format("an integer from {}", least), help,
          [=](const Value& value, Policy& policy) {
            if (!value.is(Type::integer) || value.integer < least || value.integer > kMost) return false;
            of(policy) = value.integer;
            return true;
          },
          [=](const Policy& policy) {
            const std::optional<std::int64_t> number = of(const_cast<Policy&>(policy));
            return number ? fmt::format("{}", *number) : std::string();
          }};
}

template <class Of>
PolicyRow positive(const char* name, double below, const char* accepted, Of of, const char* help) {
  return {name, accepted, help,
          [=](const Value& value, Policy& policy) {
            const double number = value.is(Type::integer) ? static_cast<double>(value.integer) : value.number;
            if (!(value.is(Type::integer) || value.is(Type::number)) || !(number > 0 && number < below)) return false;
            of(policy) = number;
            return true;
          },
          [=](const Policy& policy) {
            const std::optional<double> number = of(const_cast<Policy&>(policy));
            return number ? toml_number(*number) : std::string();
          }};
}

// A list of different texts that pass `fits`, which may write them in another way.
template <class Of>
PolicyRow texts(const char* name, const char* accepted, bool (*fits)(std::string&), Of of, const char* help) {
  return {name, accepted, help,
          [=](const Value& value, Policy& policy) {
            if (!value.is(Type::list)) return false;
            std::vector<std::string> list;
            for (const Value& item : value.items) {
              std::string text = item.text;
              if (!item.is(Type::text) || !fits(text) || std::ranges::count(list, text) > 0) return false;
              list.push_back(text);
            }
            of(policy) = list;
            return true;
          },
          [=](const Policy& policy) {
            const std::optional<std::vector<std::string>> list = of(const_cast<Policy&>(policy));
            if (!list) return std::string();
            std::vector<std::string> quoted;
            for (const std::string& text : *list) quoted.push_back(toml_string(text));
            return fmt::format("[{}]", fmt::join(quoted, ", "));
          }};
}

bool is_name(std::string& text) { return !text.empty(); }
bool has_words(std::string& text) { return !words_of(text).empty(); }
bool is_sampler(std::string& text) { return find_sampler(text) != nullptr; }
bool is_digest(std::string& text) {
  const auto digits = hex_as_written(text);
  if (digits) text = *digits;
  return digits.has_value();
}

#define OF(member) [](Policy& policy) -> auto& { return policy.member; }

const std::vector<PolicyRow>& rows() {
  static const std::vector<PolicyRow> all = {
      {"trust_server", "true or false",
       "the site's word that the hub does not reconstruct rows; needed for a study without [privacy] (join "
       "--trust-server)",
       [](const Value& value, Policy& policy) {
         policy.trust_server = value.truth;
         return value.is(Type::boolean);
       },
       [](const Policy& policy) { return std::string(policy.trust_server ? "true" : "false"); }},
      {"secure_sums", "\"allowed\" or \"required\"",
       "whether a study must hide each site's answers in sums; this version has no studies that do",
       [](const Value& value, Policy& policy) {
         policy.secure_sums = value.text;
         return value.is(Type::text) && (value.text == "allowed" || value.text == "required");
       },
       [](const Policy& policy) { return toml_string(policy.secure_sums); }},
      whole("min_clients", 1, OF(min_clients),
            "the least number of sites in a study: with two, each knows the other's sums (the hub's word for it)"),
      whole("min_rows", 1, OF(min_rows), "the least number of training rows of this site (join --min-rows)"),
      whole("min_test_rows", 0, OF(min_test_rows), "the least number of test rows of this site, if there are any"),
      whole("min_batch", 1, OF(min_batch), "the least number of rows in a minibatch, the warm-up's included"),
      whole("min_cell", 0, OF(min_cell),
            "the least number of rows behind any number that is sent: the study's data.min_cell"),
      whole("max_levels", 2, OF(max_levels),
            "the most levels of a text column or of labels; more than two are also at most a third of the rows"),
      texts("columns", "a list of names", is_name, OF(columns),
            "the columns that a study may use, the target included"),
      texts("deny_columns", "a list of words", has_words, OF(deny_columns),
            "words that must not stand in the name of a column that a study uses"),
      texts("samplers", "a list of names of pollen list samplers", is_sampler, OF(samplers),
            "the samplers that a study may use (join --allow)"),
      whole("max_rounds", 1, OF(max_rounds), "the most rounds that this site answers in a study (join --max-rounds)"),
      positive("max_epsilon", INFINITY, "a number above 0", OF(max_epsilon),
               "the most epsilon that a study may spend (join --max-epsilon)"),
      positive("max_delta", 1, "a number above 0 and below 1", OF(max_delta),
               "the largest delta for which epsilon is meant"),
      whole("runs_per_data", 1, OF(runs_per_data), "the most runs over the same data"),
      whole("min_row_difference", 0, OF(min_row_difference),
            "the least number of rows by which two runs' data differ, if they are not the same"),
      {"row_key", "a column's name",
       "the column whose cells tell rows apart, such as a patient's number; without it the whole row does",
       [](const Value& value, Policy& policy) {
         policy.row_key = value.text;
         return value.is(Type::text) && !value.text.empty();
       },
       [](const Policy& policy) { return policy.row_key.empty() ? "" : toml_string(policy.row_key); }},
      texts("peers", "a list of SHA-256 fingerprints, as pollen keys prints them", is_digest, OF(peers),
            "the certificates that a study's sites may have; a study without federation.fingerprints is refused"),
      texts("plugins", "a list of SHA-256 digests, 64 of 0-9 and a-f each", is_digest, OF(plugins),
            "the plug-ins that this site loads for a study"),
  };
  return all;
}

#undef OF

void read_key(const std::string& name, const Value& value, Policy& policy, Problems& problems) {
  const std::string where = fmt::format("{}:{}: {}", policy.where, value.line, name);
  const auto row = std::ranges::find(rows(), name, &PolicyRow::name);
  if (row != rows().end()) {
    if (!row->read(value, policy))
      problems.add(where, fmt::format("found {}, accepted: {}", shown(value), row->accepted));
    return;
  }
  std::vector<std::string> names;
  for (const PolicyRow& each : rows()) names.push_back(each.name);
  const auto near = nearest(name, names);
  problems.add(where, fmt::format("found an unknown key, accepted: {}{}", fmt::join(names, ", "),
                                  near ? fmt::format("; did you mean {}?", *near) : ""));
}

}  // namespace

Policy open_policy() {
  Policy policy;
  policy.min_rows = policy.min_batch = policy.min_clients = 1;
  policy.min_cell = policy.min_test_rows = policy.min_row_difference = 0;
  policy.runs_per_data = std::int64_t{1} << 40;
  policy.max_levels.reset();
  policy.trust_server = true;
  policy.deny_columns.clear();
  return policy;
}

Policy read_policy(const std::string& text, const std::string& file) {
  Policy policy;
  policy.where = file;
  Problems problems;
  for (const auto& [name, value] : parse_toml(text, file).entries) read_key(name, value, policy, problems);
  problems.raise();
  return policy;
}

Policy read_policy_file(const std::string& path) {
  if (!std::filesystem::is_regular_file(path))
    throw ConfigError("--policy", fmt::format("found \"{}\", accepted: a TOML file (docs/policy.md)", path));
  return read_policy(read_text(path), path);
}

std::vector<PolicyKey> policy_keys() {
  std::vector<PolicyKey> keys;
  for (const PolicyRow& row : rows()) keys.push_back({row.name, row.accepted, row.value(Policy()), row.help});
  return keys;
}

}  // namespace pollen
