// The keys of a configuration, one row each: what it is called, what it accepts, what holds where it is absent, what it
// means, when it is used, how it is read and how it is written. Reading, config.toml, error messages, warnings about
// unused keys, `pollen list keys` and docs/configuration.md all come from these rows.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "pollen/config.h"

namespace pollen {

struct Value;  // value.h: what stands in the TOML file

// When a key plays a role: in words that go on after "used", and as a test. No test: always.
struct When {
  std::string words;
  std::function<bool(const Config&, const Recipe&)> test;  // of a completed configuration
};

struct Key {
  std::string path;  // "sampler.step"
  std::string type;  // "number", "integer", "boolean", "string", "list", "table"
  std::string accepted;
  std::function<bool(const Value&, Config&)> read;  // takes the value; false where it is not acceptable
  std::function<std::string(const Config&)> value;  // as TOML; empty where the key is absent

  std::string help_text = {};      // one sentence
  std::string default_words = {};  // where the default depends on something, or is not a value
  When when = {};
  std::function<bool(const Config&)> written = {};  // empty: always
  std::vector<std::string> (*choices)() = nullptr;  // the accepted words, where they may grow

  // Building blocks of the rows.
  Key help(std::string text) &&;
  Key absent(std::string words) &&;  // what holds where the key is absent
  Key used(std::string words, std::function<bool(const Config&, const Recipe&)> test = {}) &&;
  Key only(std::string words, std::function<bool(const Config&)> test) &&;  // used, and written, only there

  std::string accepted_words() const;
  std::string default_text() const;               // "1.0", "none", "full; 0.1 for sgld, qlsd#"
  std::string write(const Config& config) const;  // `value` where the key is written
  std::string section() const;                    // "sampler"; empty for a key of no table
  std::string name() const;                       // "step"
};

// A table of the TOML file.
struct Section {
  std::string name;     // empty: the keys above all tables
  std::string purpose;  // one sentence
  std::string page;     // the page of docs/ that says more; may be empty
};

const std::vector<Section>& sections();  // in the order in which they are written
const std::vector<Key>& keys();          // of [tables]
const std::vector<Key>& client_keys();   // of [[client]], "client.mean", read into config.clients.back()

std::string toml_string(const std::string& text);
std::string toml_number(double value);  // reads back as the same number

}  // namespace pollen
