#include "recipe/key.h"

#include <fmt/format.h>

#include <sstream>
#include <stdexcept>

#include "compress/compressors.h"
#include "key_kinds.h"
#include "model/models.h"
#include "oracle/oracles.h"
#include "recipe/samplers.h"

namespace pollen {

Key Key::help(std::string text) && {
  help_text = std::move(text);
  return std::move(*this);
}

Key Key::absent(std::string words) && {
  default_words = std::move(words);
  return std::move(*this);
}

Key Key::used(std::string words, std::function<bool(const Config&, const Recipe&)> test) && {
  when = {std::move(words), std::move(test)};
  return std::move(*this);
}

Key Key::only(std::string words, std::function<bool(const Config&)> test) && {
  when = {std::move(words), [test](const Config& config, const Recipe&) { return test(config); }};
  written = std::move(test);
  return std::move(*this);
}

std::string Key::accepted_words() const { return choices != nullptr ? listed(choices()) : accepted; }

std::string Key::default_text() const {
  if (!default_words.empty()) return default_words;
  const std::string text = value(Config{});
  return text.empty() ? "none" : text;
}

std::string Key::write(const Config& config) const {
  return !written || written(config) ? value(config) : std::string();
}

std::string Key::section() const {
  const auto dot = path.find('.');
  return dot == std::string::npos ? std::string() : path.substr(0, dot);
}

std::string Key::name() const { return path.substr(path.find('.') + 1); }

std::string toml_string(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else
      out += c;
  }
  return out + '"';
}

std::string toml_number(double value) {
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

const std::vector<Section>& sections() {
  static const std::vector<Section> all = {
      {"", "Keys above all tables.", ""},
      {"model", "What is sampled: a likelihood and the prior of its parameters.", "models.md"},
      {"compute", "Where neural networks compute.", "networks.md"},
      {"data", "Which rows there are, how they become numbers, and how they are split over clients.", "data.md"},
      {"sampler", "Which algorithm samples, and its settings.", "samplers.md"},
      {"participation", "Which clients take part in a round.", "samplers.md"},
      {"run", "How long the chains are, how many there are, and where they start.", ""},
      {"output", "What is written to the run's folder.", "outputs.md"},
      {"warm_up", "Gradient descent before the first iteration.", "networks.md"},
      {"privacy", "What a run of fa-ld may give away.", "privacy.md"},
      {"population", "The distribution that the clients' own latents come from.", "personal.md"},
      {"federation", "Which clients `pollen serve` expects, and what happens where some are missing.", "federation.md"},
      {"network", "A simulated network, whose time the run keeps; without a key of it there is none.",
       "network-time.md"},
      {"client", "One [[client]] table per client, in order: its own data or compressor.", ""},
  };
  return all;
}

namespace {

// Throws std::invalid_argument if a row, which may have been registered from outside, names a key that its section does
// not have.
template <class Rows>
void check_rows(const Rows& rows, const std::string& section, const std::vector<Key>& keys) {
  for (const auto& row : rows) {
    std::istringstream words{std::string(row.keys)};
    for (std::string word; words >> word;)
      if (std::ranges::count(keys, section + "." + word, &Key::path) == 0)
        throw std::invalid_argument(
            fmt::format("the row of {} names {}.{}, which is no key; `pollen list keys {}` has "
                        "those that are",
                        row.name, section, word, section));
  }
}

}  // namespace

const std::vector<Key>& keys() {
  static const std::vector<Key> all = [] {
    std::vector<Key> rows;
    for (auto* section : {seed_keys, model_keys, network_model_keys, data_keys, sampler_keys, run_keys, output_keys,
                          warm_up_keys, privacy_keys, population_keys, federation_keys, network_time_keys})
      for (Key& key : section()) rows.push_back(std::move(key));
    check_rows(recipe_samplers(), "sampler", rows);
    check_rows(oracles(), "sampler", rows);
    check_rows(compressors(), "sampler", rows);
    check_rows(models(), "model", rows);
    return rows;
  }();
  return all;
}

}  // namespace pollen
