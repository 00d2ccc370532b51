#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "data/store.h"
#include "parts.h"
#include "schema.h"

namespace pollen {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostShown = 60;

void show(const toml::node& node, std::string& out) {
  if (out.size() > kMostShown) return;
  if (const toml::array* array = node.as_array()) {
    out += '[';
    for (std::size_t i = 0; i < array->size() && out.size() <= kMostShown; ++i) {
      if (i > 0) out += ", ";
      show((*array)[i], out);
    }
    out += ']';
  } else if (const auto text = node.value<std::string>(); text && node.is_string()) {
    out += toml_string(text->substr(0, 2 * kMostShown));
  } else if (node.is_table()) {
    out += "a table";
  } else if (node.is_floating_point()) {
    out += toml_number(*node.value<double>());
  } else {
    std::ostringstream other;
    node.visit([&](const auto& n) { other << n; });
    out += other.str();
  }
}

// The value as the user would write it, cut where it is long, never inside a UTF-8 character.
std::string found(const toml::node& node) {
  std::string text;
  show(node, text);
  if (text.size() <= kMostShown) return text;
  std::size_t end = kMostShown - 3;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0u) == 0x80u) --end;
  return text.substr(0, end) + "...";
}

// Reads one TOML document into a Config, collecting problems.
class Reader {
 public:
  enum class Lines { told, none };
  Reader(Config& config, const std::string& file, Lines lines) : config_(config), file_(file), lines_(lines) {}

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
    return lines_ == Lines::none ? fmt::format("{}: {}", file_, key) : fmt::format("{}:{}: {}", file_, line, key);
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
      if (!near)
        near = nearest(path, {"model", "data", "sampler", "participation", "run", "output", "privacy", "population",
                              "federation", "network", "client"});
    }
    problems_.add(at(path, node), near ? fmt::format("unknown key; did you mean {}?", *near)
                                       : std::string("unknown key; docs/configuration.md lists the known ones"));
  }

  void read_clients(const toml::node& node) {
    const toml::array* clients = node.as_array();
    if (clients == nullptr || !clients->is_array_of_tables()) {
      problems_.add(at("client", node), fmt::format("found {}, accepted: one [[client]] table a client", found(node)));
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
        problems_.add(at(prefix + ", " + word, value),
                      near ? fmt::format("unknown key; did you mean {}?", *near) : std::string("unknown key"));
      }
    }
  }

  Config& config_;
  const std::string& file_;
  Lines lines_;
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
  constexpr const char* kAccepted = "accepted: key=value, as in --set sampler.step=1e-4";
  const auto equals = text.find('=');
  if (equals == std::string::npos || equals == 0)
    throw ConfigError("--set " + text, fmt::format("found no {}, {}", equals == 0 ? "key" : "value", kAccepted));
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
    throw ConfigError("--set " + text, fmt::format("found a key or value that TOML does not know, {}", kAccepted));
  }
}

// A built-in data set is a name, everything else a path from the config's folder.
void resolve_paths(Config& config, const fs::path& folder) {
  const auto builtins = builtin_datasets();
  for (std::string& source : config.data.sources)
    if (std::ranges::find(builtins, source) == builtins.end())
      source = fs::absolute(folder / source).lexically_normal().string();
  if (const std::string file = "file:"; config.run.init.starts_with(file))
    config.run.init = file + fs::absolute(folder / config.run.init.substr(file.size())).lexically_normal().string();
  DataSpec& data = config.data;
  for (std::string* path : {&config.model.file, &config.network_time.trace, &data.labels, &data.writers,
                            &data.test_source, &data.test_labels, &data.ood_source, &data.distill_source})
    if (!path->empty()) *path = fs::absolute(folder / *path).lexically_normal().string();
}

// On top of `config`.
Config read_over(Config config, const std::string& text, const std::string& file, const fs::path& folder,
                 const Overrides& overrides) {
  config.file = file;
  Reader(config, file, Reader::Lines::told).read(parse(text, file));
  resolve_paths(config, folder);
  for (const std::string& text_of : overrides) {
    Config changed = config;
    const std::string where = "--set " + text_of;
    Reader(changed, where, Reader::Lines::none).read(parse_override(text_of));
    resolve_paths(changed, fs::current_path());  // those of the file are absolute by now
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
    settle_stored(stored, config);
  }
  set_network_defaults(config);
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
  if (in.peek() != std::ifstream::traits_type::eof()) text << in.rdbuf();  // nothing to copy would count as a failure
  if (in.bad() || text.fail()) throw ConfigError(path, "the file cannot be read");
  return read_layers(text.str(), path, fs::absolute(path).parent_path().string(), overrides, Stores::looked_at);
}

}  // namespace pollen
