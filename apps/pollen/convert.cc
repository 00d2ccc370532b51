// pollen convert: writes any data that data.source accepts, loaded by load_federation, into a store.
#include <fmt/format.h>

#include <string>

#include "commands.h"
#include "data/store.h"
#include "pollen/config.h"
#include "pollen/errors.h"
#include "run/problem.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

constexpr std::size_t kMostGuessed = 100;  // most distinct labels if the kind of target was guessed

std::string in_quotes(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) (c == '"' || c == '\\' ? out += '\\' : out) += c;
  return out + '"';
}

// Guesses the model if only data are given: the kind of target that nearly all such data have.
std::string likely_model(const DataSpec& data) {
  const std::string& source = data.sources.front();
  if (source == "synthetic-gaussian") return "gaussian";
  if (source == "synthetic-mixed") return "linear";
  return data.positive.empty() ? "softmax" : "logistic";
}

Config config_of(const ConvertOptions& options, bool& guessed) {
  if (options.in.ends_with(".toml")) return read_config_file(options.in, options.set);
  Overrides overrides = options.set;
  overrides.insert(overrides.begin(), "data.source=" + in_quotes(options.in));
  Config config = read_config_text("", "pollen convert", overrides);
  guessed = !config.given.contains("model.kind");
  if (guessed) config.model.kind = likely_model(config.data);
  return config;
}

std::string described(const std::string& file) {
  const StoreFacts facts = store_facts(file);
  return fmt::format("{}: {} training and {} test rows of {} columns, {} client{}, {}\n", file, facts.train_rows,
                     facts.test_rows, facts.columns, facts.clients, facts.clients == 1 ? "" : "s",
                     sink::human_bytes(static_cast<double>(facts.bytes)));
}

}  // namespace

int convert_command(const ConvertOptions& options) {
  if (options.check) {
    if (!options.out.empty())
      throw ConfigError("convert", "found IN and OUT with --check, accepted: the store IN alone");
    check_store(options.in);
    print(described(options.in) + "every checksum is right\n");
    return kDone;
  }
  if (options.out.empty()) throw ConfigError("convert", "found no OUT, accepted: the store's name, as in out.pollen");
  bool guessed = false;
  const Config config = config_of(options, guessed);
  if (config.data.sources.empty())
    throw ConfigError(config.file + ": data.source",
                      "found none, accepted: data to convert; [[client]] tables cannot be converted");
  Conversion conversion{config.data, target_of(config), config.seed, config.file, data_to_toml(config)};
  if (guessed) conversion.most_classes = kMostGuessed;
  try {
    convert_to_store(conversion, options.out);
  } catch (const ConfigError& error) {
    if (guessed && std::string(error.what()).find("found the label") != std::string::npos)
      tell("the target was taken for labels; --set model.kind=linear where it is a number");
    throw;
  }
  print(described(options.out) +
        fmt::format(
            "{} [data] source = {}\n",
            options.out.ends_with(".pollen") ? "use:" : "use, with format = \"pollen\":", in_quotes(options.out)));
  return kDone;
}

}  // namespace pollen::app
