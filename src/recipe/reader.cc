#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "recipe/schema.h"

namespace pollen {

namespace {

namespace fs = std::filesystem;

std::string found(const toml::node& node) {
  std::ostringstream text;
  node.visit([&](const auto& n) {
    if constexpr (toml::is_table<decltype(n)>)
      text << "a table";
    else
      text << n;
  });
  std::string s = text.str();
  std::replace(s.begin(), s.end(), '\n', ' ');
  return s.size() > 60 ? s.substr(0, 57) + "..." : s;
}

// Reads one TOML document into a Config, collecting problems.
class Reader {
 public:
  Reader(Config& config, const std::string& file) : config_(config), file_(file) {}

  void read(const toml::table& root) {
    for (const auto& [name, node] : root) {
      const std::string key(name.str());
      if (key == "client")
        read_clients(node);
      else if (const toml::table* section = node.as_table(); section != nullptr && is_section(key))
        for (const auto& [inner, value] : *section) read_key(key + "." + std::string(inner.str()), value);
      else if (is_section(key))
        problems_.add(at(key, node), fmt::format("found {}, accepted: a table [{}]", found(node), key));
      else
        read_key(key, node);
    }
    problems_.raise();
  }

 private:
  // "file:12: sampler.step"; an override has no line.
  std::string at(const std::string& key, const toml::node& node) const {
    const auto line = node.source().begin.line;
    return line == 0 ? fmt::format("{}: {}", file_, key) : fmt::format("{}:{}: {}", file_, line, key);
  }

  static bool is_section(const std::string& name) {
    return std::ranges::any_of(schema(), [&](const Key& k) { return k.path.starts_with(name + "."); });
  }

  void read_key(const std::string& path, const toml::node& node) {
    const auto& keys = schema();
    const auto key = std::ranges::find(keys, path, &Key::path);
    if (key == keys.end()) return unknown(path, node);
    config_.given.insert(path);
    take(*key, path, node);
  }

  void take(const Key& key, const std::string& path, const toml::node& node) {
    if (key.read(node, config_)) return;
    std::string what = fmt::format("found {}, accepted: {}", found(node), key.accepted);
    if (const auto word = node.value<std::string>(); word && node.is_string()) what += suggestion(*word, key.accepted);
    problems_.add(at(path, node), what);
  }

  // The quoted words of `accepted` are the choices.
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

  void unknown(const std::string& path, const toml::node& node) {
    std::vector<std::string> names;
    for (const Key& k : schema()) names.push_back(k.path);
    auto near = nearest(path, names);
    const auto dot = path.find('.');
    if (dot == std::string::npos) {  // a top-level word: perhaps a section, or a key that lost its section
      for (const std::string& name : names)
        if (name.substr(name.find('.') + 1) == path) near = name;
      if (!near) near = nearest(path, {"model", "data", "sampler", "participation", "run", "output", "client"});
    }
    problems_.add(at(path, node),
                  near ? fmt::format("unknown key; did you mean {}?", *near)
                       : std::string("unknown key; docs/configuration.md lists the known ones"));
  }

  void read_clients(const toml::node& node) {
    const toml::array* clients = node.as_array();
    if (clients == nullptr || !clients->is_array_of_tables()) {
      problems_.add(at("client", node), "accepted: one [[client]] table a client");
      return;
    }
    for (const toml::node& client : *clients) {
      config_.clients.emplace_back();
      const std::string prefix = fmt::format("client {}", config_.clients.size());
      for (const auto& [name, value] : *client.as_table()) {
        const std::string word(name.str());
        const auto& keys = client_schema();
        const auto key = std::ranges::find(keys, word, &Key::path);
        if (key != keys.end()) {
          take(*key, prefix + ", " + word, value);
          continue;
        }
        std::vector<std::string> names;
        for (const Key& k : keys) names.push_back(k.path);
        const auto near = nearest(word, names);
        problems_.add(at(prefix + ", " + word, value), near ? fmt::format("unknown key; did you mean {}?", *near)
                                                            : std::string("unknown key"));
      }
    }
  }

  Config& config_;
  const std::string& file_;
  Problems problems_;
};

toml::table parse(const std::string& text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    throw ConfigError(fmt::format("{}:{}:{}", file, e.source().begin.line, e.source().begin.column),
                      std::string(e.description()));
  }
}

// "sampler.step=1e-4": the value is TOML, or else a bare string.
toml::table parse_override(const std::string& text) {
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError("--set " + text, "accepted: key=value, as in --set sampler.step=1e-4");
  std::string key = text.substr(0, equals);
  std::string value = text.substr(equals + 1);
  key.erase(key.find_last_not_of(' ') + 1);
  value.erase(0, value.find_first_not_of(' '));
  try {
    return toml::parse(fmt::format("{} = {}", key, value));
  } catch (const toml::parse_error&) {
  }
  try {
    return toml::parse(fmt::format("{} = {}", key, toml_string(value)));
  } catch (const toml::parse_error&) {
    throw ConfigError("--set " + text, "accepted: key=value, as in --set sampler.step=1e-4");
  }
}

// A built-in data set is a name, everything else a path from the config's folder.
void resolve_paths(Config& config, const fs::path& folder) {
  const auto builtins = builtin_datasets();
  for (std::string& source : config.data.sources)
    if (std::ranges::find(builtins, source) == builtins.end()) source = fs::absolute(folder / source).lexically_normal().string();
  if (!config.data.labels.empty()) config.data.labels = fs::absolute(folder / config.data.labels).lexically_normal().string();
}

Config read(const std::string& text, const std::string& file, const fs::path& folder, const Overrides& overrides) {
  Config config;
  config.file = file;
  Reader(config, file).read(parse(text, file));
  resolve_paths(config, folder);
  for (const std::string& text_of : overrides) {
    Config changed = config;
    const std::string where = "--set " + text_of;
    Reader(changed, where).read(parse_override(text_of));
    if (changed.data.sources != config.data.sources || changed.data.labels != config.data.labels)
      resolve_paths(changed, fs::current_path());
    config = std::move(changed);
  }
  return config;
}

}  // namespace

Config read_config_text(const std::string& text, const std::string& file, const Overrides& overrides) {
  return read(text, file, fs::current_path(), overrides);
}

Config read_config_file(const std::string& path, const Overrides& overrides) {
  std::error_code ec;
  if (fs::is_directory(path, ec)) throw ConfigError(path, "found a directory, accepted: a TOML file");
  std::ifstream in(path, std::ios::binary);
  if (!in) throw ConfigError(path, fs::exists(path, ec) ? "the file cannot be read" : "there is no such file");
  std::ostringstream text;
  text << in.rdbuf();
  if (in.bad() || text.fail()) throw ConfigError(path, "the file cannot be read");
  return read(text.str(), path, fs::absolute(path).parent_path(), overrides);
}

}  // namespace pollen
