// The table of configuration keys. Each row holds a key's name, accepted values, default, meaning, when it is used, and
// how it is read and written. The TOML reader, config.toml, error messages, warnings about unused keys, `pollen list
// keys` and docs/configuration.md all come from these rows. The tables are immutable, so any thread may read them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pollen/config.h"

namespace pollen {

struct Value;  // declared in value.h: one value of the TOML file

// Tells when a key is used: `words` completes a sentence after "used", and `test` decides. Without a test the key is
// always used.
struct When {
  std::string words;
  std::function<bool(const Config&, const Recipe&)> test;  // expects a completed configuration
};

struct Key {
  std::string path;  // "sampler.step"
  std::string type;  // "number", "integer", "boolean", "string", "list", "table"
  std::string accepted;
  std::function<bool(const Value&, Config&)> read;  // stores the value; returns false if it is not acceptable
  std::function<std::string(const Config&)> value;  // the value as TOML; empty if the key is absent

  std::string help_text = {};      // one sentence
  std::string default_words = {};  // for a default that depends on something or is not a value
  When when = {};
  std::function<bool(const Config&)> written = {};  // whether config.toml shows the key; empty means always
  std::vector<std::string> (*choices)() = nullptr;  // the accepted words, if the list can grow

  // These functions build the rows of the table.
  Key help(std::string text) &&;
  Key absent(std::string words) &&;  // says what applies when the key is absent
  Key used(std::string words, std::function<bool(const Config&, const Recipe&)> test = {}) &&;
  Key only(std::string words, std::function<bool(const Config&)> test) &&;  // used, and written, only if `test` holds

  std::string accepted_words() const;
  std::string default_text() const;               // "1.0", "none", "full; 0.1 for sgld, qlsd#"
  std::string write(const Config& config) const;  // `value`, or nothing if the key is not written
  std::string section() const;                    // "sampler"; empty for a key outside all tables
  std::string name() const;                       // "step"
};

// One table of the TOML file.
struct Section {
  std::string name;     // empty for the keys above all tables
  std::string purpose;  // one sentence
  std::string page;     // the page of docs/ with more details; may be empty
};

const std::vector<Section>& sections();  // in the order in which they are written
const std::vector<Key>& keys();          // the keys of all [tables]
// The keys of [[client]], such as "client.mean". They are read into config.clients.back().
const std::vector<Key>& client_keys();

std::string toml_string(const std::string& text);
std::string toml_number(double value);  // reads back as exactly the same number

}  // namespace pollen
