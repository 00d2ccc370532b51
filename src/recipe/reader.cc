#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/store.h"
#include "parts.h"
#include "recipe/key.h"
#include "recipe/value.h"

namespace pollen {

namespace {

namespace fs = std::filesystem;

// Reads one TOML document into a Config, collecting problems.
class Reader {
 public:
  enum class Lines { told, none };
  Reader(Config& config, const std::string& file, Lines lines) : config_(config), file_(file), lines_(lines) {}

  void read(const Value& root) {
    for (const auto& [key, value] : root.entries) {
      if (key == "client")
        read_clients(value);
      else if (!is_section(key))
        read_key(key, value);
      else if (value.is(Value::Type::table))
        for (const auto& [inner, each] : value.entries) read_key(key + "." + inner, each);
      else
        problems_.add(at(key, value), fmt::format("found {}, accepted: a table [{}]", shown(value), key));
    }
    problems_.raise();
  }

 private:
  // Returns the place of a key for messages, as "file:12: sampler.step". An override has no line number.
  std::string at(const std::string& key, const Value& value) const {
    return lines_ == Lines::none ? fmt::format("{}: {}", file_, key) : fmt::format("{}:{}: {}", file_, value.line, key);
  }

  static bool is_section(const std::string& name) {
    return !name.empty() && std::ranges::count(sections(), name, &Section::name) > 0;
  }

  void read_key(const std::string& path, const Value& value) {
    const auto key = std::ranges::find(keys(), path, &Key::path);
    if (key == keys().end()) return unknown(path, value);
    config_.given.insert(path);
    take(*key, path, value);
  }

  void take(const Key& key, const std::string& path, const Value& value) {
    if (key.read(value, config_)) return;
    const std::string accepted = key.accepted_words();
    std::string what = fmt::format("found {}, accepted: {}", shown(value), accepted);
    if (value.is(Value::Type::text)) what += suggestion(value.text, accepted);
    problems_.add(at(path, value), what);
  }

  // Suggests the nearest choice; the choices are the quoted words of `accepted`.
  static std::string suggestion(const std::string& word, const std::string& accepted) {
    std::vector<std::string> words;
    for (std::size_t open = accepted.find('"'); open != std::string::npos;) {
      const std::size_t close = accepted.find('"', open + 1);
      if (close == std::string::npos) break;
      words.push_back(accepted.substr(open + 1, close - open - 1));
      open = accepted.find('"', close + 1);
    }
    const auto near = nearest(word, words);
    return near ? fmt::format("; did you mean \"{}\"?", *near) : std::string();
  }

  void unknown(const std::string& path, const Value& value) {
    std::vector<std::string> names;
    for (const Key& k : keys()) names.push_back(k.path);
    auto near = nearest(path, names);
    // The word may be meant as a section, or be a key without its section.
    if (path.find('.') == std::string::npos) {
      for (const Key& k : keys())
        if (k.name() == path) near = k.path;
      std::vector<std::string> tables;
      for (const Section& section : sections()) tables.push_back(section.name);
      if (!near) near = nearest(path, tables);
    }
    problems_.add(at(path, value), near ? fmt::format("unknown key; did you mean {}?", *near)
                                        : std::string("unknown key; pollen list keys prints the known ones"));
  }

  void read_clients(const Value& value) {
    if (!value.tables) {
      problems_.add(at("client", value),
                    fmt::format("found {}, accepted: one [[client]] table per client", shown(value)));
      return;
    }
    for (const Value& client : value.items) {
      config_.clients.emplace_back();
      const std::string prefix = fmt::format("client {}, ", config_.clients.size());
      for (const auto& [name, each] : client.entries) {
        const auto key = std::ranges::find(client_keys(), "client." + name, &Key::path);
        if (key != client_keys().end()) {
          take(*key, prefix + name, each);
          continue;
        }
        std::vector<std::string> names;
        for (const Key& k : client_keys()) names.push_back(k.name());
        const auto near = nearest(name, names);
        problems_.add(at(prefix + name, each),
                      near ? fmt::format("unknown key; did you mean {}?", *near) : std::string("unknown key"));
      }
    }
  }

  Config& config_;
  const std::string& file_;
  Lines lines_;
  Problems problems_;
};

// Parses an override such as "sampler.step=1e-4". The value is TOML or, failing that, a bare string.
Value parse_override(const std::string& text) {
  constexpr const char* kAccepted = "accepted: key=value, as in --set sampler.step=1e-4";
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError("--set " + text, fmt::format("found no {}, {}", equals == 0 ? "key" : "value", kAccepted));
  std::string key = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  key.erase(key.find_last_not_of(' ') + 1);
  value.erase(0, value.find_first_not_of(' '));
  for (const std::string& written : {value, toml_string(value)}) {
    try {
      return parse_toml(fmt::format("{} = {}", key, written), "--set");
    } catch (const ConfigError&) {
    }
  }
  throw ConfigError("--set " + text, fmt::format("found a key or value that TOML does not know, {}", kAccepted));
}

// Makes paths absolute: every source that is not the name of a built-in data set is a path relative to `folder`.
void resolve_paths(Config& config, const fs::path& folder) {
  const auto builtins = builtin_datasets();
  for (std::string& source : config.data.sources)
    if (std::ranges::find(builtins, source) == builtins.end())
      source = fs::absolute(folder / source).lexically_normal().string();
  if (const std::string file = "file:"; config.run.init.starts_with(file))
    config.run.init = file + fs::absolute(folder / config.run.init.substr(file.size())).lexically_normal().string();
  std::vector<std::string*> others = named_files(config.data);
  others.insert(others.end(), {&config.model.file, &config.network_time.trace});
  for (std::string* path : others)
    if (!path->empty()) *path = fs::absolute(folder / *path).lexically_normal().string();
}

// Reads the text and then the overrides on top of `config`.
Config read_over(Config config, const std::string& text, const std::string& file, const fs::path& folder,
                 const Overrides& overrides) {
  config.file = file;
  Reader(config, file, Reader::Lines::told).read(parse_toml(text, file));
  resolve_paths(config, folder);
  for (const std::string& text_of : overrides) {
    Config changed = config;
    const std::string where = "--set " + text_of;
    Reader(changed, where, Reader::Lines::none).read(parse_override(text_of));
    // Paths from the file are absolute by now, so this affects only the override's.
    resolve_paths(changed, fs::current_path());
    config = std::move(changed);
  }
  return config;
}

}  // namespace

Config read_layers(const std::string& text, const std::string& file, const std::string& folder,
                   const Overrides& overrides, Stores stores) {
  Config config = read_over({}, text, file, folder, overrides);
  if (stores == Stores::looked_at && is_store(config.data)) {
    Config base;
    base.data = stored_data(config.data.sources.front());
    const DataSpec stored = base.data;
    base.data.format.clear();
    config = read_over(std::move(base), text, file, folder, overrides);
    take_stored_keys(stored, config);
  }
  set_network_defaults(config);
  set_model_defaults(config);
  set_privacy_defaults(config);
  return config;
}

Config read_config_text(const std::string& text, const std::string& file, const Overrides& overrides) {
  return read_layers(text, file, ".", overrides, Stores::left_alone);
}

Config read_config_file(const std::string& path, const Overrides& overrides) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) throw ConfigError(path, "found a directory, accepted: a TOML file");
  std::ifstream in(path, std::ios::binary);
  if (!in)
    throw ConfigError(path,
                      fs::exists(path, ec) ? "the file cannot be read" : "found no such file, accepted: a TOML file");
  std::ostringstream text;
  // Copying an empty file would count as a failure of `text`.
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();
  if (in.bad() || text.fail()) throw ConfigError(path, "the file cannot be read");
  return read_layers(text.str(), path, fs::absolute(path).parent_path().string(), overrides, Stores::looked_at);
}

}  // namespace pollen
