// Tests the table of keys and the registries: every row is complete, and what one says about another is true.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <sstream>

#include "base/words.h"
#include "completed.h"
#include "compress/compressors.h"
#include "data/registries.h"
#include "model/models.h"
#include "oracle/oracles.h"
#include "personal/baselines.h"
#include "recipe/key.h"
#include "recipe/samplers.h"
#include "reference/reference.h"

namespace pollen {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

const Key* find_key(const std::string& path) {
  const auto at = std::ranges::find(keys(), path, &Key::path);
  return at == keys().end() ? nullptr : &*at;
}

std::vector<Key> all_keys() {
  std::vector<Key> all = keys();
  all.insert(all.end(), client_keys().begin(), client_keys().end());
  return all;
}

TEST(Keys, HaveHelpTypeAndAcceptedWords) {
  std::set<std::string> paths;
  for (const Key& key : all_keys()) {
    EXPECT_TRUE(paths.insert(key.path).second) << key.path << " is there twice";
    EXPECT_TRUE(key.help_text.ends_with(".")) << key.path << ": " << key.help_text;
    EXPECT_GE(key.help_text.size(), 15U) << key.path;
    EXPECT_FALSE(key.type.empty()) << key.path;
    EXPECT_FALSE(key.accepted_words().empty()) << key.path;
    EXPECT_FALSE(key.default_text().empty()) << key.path;
    EXPECT_EQ(std::ranges::count(sections(), key.section(), &Section::name), 1) << key.path;
    EXPECT_FALSE(key.when.test && key.when.words.empty()) << key.path << " has a test without words";
  }
}

std::string as_toml(const Key& key, const std::string& value) {
  return (key.section().empty() ? "" : "[" + key.section() + "]\n") + key.name() + " = " + value + "\n";
}

TEST(Keys, DefaultsReadBackAsThemselves) {
  for (const Key& key : keys()) {
    const std::string value = key.value(Config{});
    if (value.empty() || key.path == "model.input") continue;  // absent, or an empty list that means absent
    const Config read = read_config_text(as_toml(key, value), "x");
    EXPECT_EQ(key.value(read), value) << key.path;
    EXPECT_TRUE(read.given.contains(key.path));
  }
}

// Returns a value that the key accepts, found by trying.
std::string an_accepted_value(const Key& key) {
  const std::string fingerprint = "[\"" + std::string(64, 'a') + "\"]";
  for (const char* value : {"2", "0.5", "true", "\"a\"", "[\"a\"]", "[1, 2]", "{a = [\"b\"]}", "32", "3.0",
                            "[\"flip\"]", "[\"csv\"]", "[\"lp\"]", fingerprint.c_str()}) {
    try {
      read_config_text(as_toml(key, value), "x");
      return value;
    } catch (const ConfigError&) {
    }
  }
  const std::string words = key.accepted_words();  // of "a", "b" the first is taken
  return words.starts_with('"') ? words.substr(0, words.find('"', 1) + 1) : std::string();
}

TEST(Keys, AreWrittenAsTheyWereRead) {
  for (const Key& key : keys()) {
    const std::string value = an_accepted_value(key);
    ASSERT_FALSE(value.empty()) << key.path;
    const Config read = read_config_text(as_toml(key, value), "x");
    const std::string written = key.value(read);
    ASSERT_FALSE(written.empty()) << key.path << " = " << value;
    EXPECT_EQ(key.value(read_config_text(as_toml(key, written), "x")), written) << key.path;
    if (!key.written || key.written(read)) {
      EXPECT_THAT("\n" + to_toml(read), HasSubstr("\n" + key.name() + " = " + written + "\n")) << key.path;
    } else {
      EXPECT_FALSE(key.when.words.empty()) << key.path << " is not always written and does not say when";
    }
  }
}

std::vector<std::string> warnings_of(const Overrides& overrides) { return made(overrides).warnings; }

TEST(Keys, ThatPlayNoRoleAreNamedWithWhenTheyDo) {
  EXPECT_THAT(warnings_of({"sampler.name=lsd", "sampler.levels=4"}),
              Contains(AllOf(HasSubstr("sampler.levels is set but plays no role here"), HasSubstr("qsgd"))));
  EXPECT_THAT(warnings_of({"sampler.name=qlsd", "sampler.levels=4"}), Not(Contains(HasSubstr("sampler.levels"))));
  EXPECT_THAT(warnings_of({"sampler.name=nuts", "sampler.levels=4", "sampler.max_depth=5"}),
              AllOf(Contains(HasSubstr("sampler.levels")), Not(Contains(HasSubstr("max_depth")))));
  EXPECT_THAT(
      warnings_of({"sampler.name=nuts", "data.dirichlet_alpha=2.0"}),
      Contains(HasSubstr("data.dirichlet_alpha is set but plays no role here: it is used with data.partition")));
  EXPECT_THAT(warnings_of({"compute.tf32=true"}), Contains(HasSubstr("compute.tf32")));
  EXPECT_THAT(warnings_of({"sampler.name=fsgld", "sampler.step=0.1", "sampler.swag_rate=0.1"}),
              Contains(HasSubstr("sampler.swag_rate is set but plays no role here: it is used for fsgld, with")));
}

// Every default is written to config.toml, whether the sampler uses it or not, and running that file is no mistake.
TEST(Keys, AtTheirDefaultsAreNoWarning) {
  for (const char* name : {"lsd", "qlsd++", "fa-ld", "nuts", "b-elf", "ula"}) {
    const Overrides chosen = {std::string("sampler.name=") + name, "sampler.step=0.1"};
    Config config = read_builtin_config(chosen);
    std::vector<std::string> warnings;
    complete(config, 10, 6, warnings);
    Config again = read_config_text(to_toml(config), "config.toml");
    std::vector<std::string> warnings_again;
    complete(again, 10, 6, warnings_again);
    EXPECT_THAT(warnings_again, Not(Contains(HasSubstr("plays no role")))) << name;
  }
}

TEST(Keys, OfFormatsAndOfUnbiasedCompressors) {
  EXPECT_THAT(warnings_of({"data.format=libsvm", "data.header=false"}), Contains(HasSubstr("data.header")));
  EXPECT_THAT(warnings_of({"data.format=csv", "data.header=false"}), Not(Contains(HasSubstr("data.header"))));
  EXPECT_THAT(warnings_of({"sampler.name=d-elf", "sampler.scaled=true"}), Contains(HasSubstr("sampler.scaled")));
  EXPECT_THAT(warnings_of({"sampler.name=d-elf", "sampler.compressor=rand-k", "sampler.scaled=true"}),
              Not(Contains(HasSubstr("sampler.scaled"))));
}

// Checks that the keys a row names are keys of the configuration. `settings` are not keys but settings of the library.
template <class Rows>
void expect_rows(const Rows& rows, const std::string& section, const std::string& settings = "") {
  std::set<std::string> names;
  for (const auto& row : rows) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name << " is there twice";
    EXPECT_FALSE(std::string(row.summary).empty()) << row.name;
    std::istringstream words{std::string(row.keys)};
    for (std::string word; words >> word;)
      EXPECT_TRUE(has_word(settings, word) || find_key(section + "." + word) != nullptr) << row.name << ": " << word;
  }
}

TEST(Registries, NameKeysThatExist) {
  expect_rows(compressors(), "sampler");
  expect_rows(oracles(), "sampler");
  expect_rows(recipe_samplers(), "sampler");
  expect_rows(data_formats(), "data");
  expect_rows(partitions(), "data");
  expect_rows(builtin_sets(), "data");
  expect_rows(models(), "model");
  expect_rows(reference_table(), "sampler", "warm_up");
  expect_rows(baseline_table(), "sampler", "participation");
}

// The table of keys is made once per process, so the row is registered in a process of its own.
TEST(RegistriesDeathTest, RefuseRowsThatNameNoKey) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto read_keys = [] {
    register_oracle({"mine", "an oracle with a misspelt key", "bacth", OracleKind::minibatch, {}});
    try {
      keys();
    } catch (const std::invalid_argument& e) {
      std::fputs(e.what(), stderr);
      std::exit(3);
    }
    std::exit(0);
  };
  EXPECT_EXIT(read_keys(), ::testing::ExitedWithCode(3), "mine names sampler.bacth");
}

TEST(Registries, AreWhatKeysAccept) {
  for (const std::string& name : partitions().names())
    EXPECT_EQ(read_config_text("[data]\npartition = \"" + name + "\"", "x").data.partition, name);
  for (const std::string& name : models().names())
    EXPECT_EQ(read_config_text("[model]\nkind = \"" + name + "\"", "x").model.kind, name);
  for (const std::string& name : oracles().names())
    EXPECT_EQ(read_config_text("[sampler]\noracle = \"" + name + "\"", "x").sampler.oracle, name);
  for (const std::string& name : data_formats().names())
    EXPECT_EQ(read_config_text("[data]\nformat = \"" + name + "\"", "x").data.format, name);
}

}  // namespace
}  // namespace pollen
