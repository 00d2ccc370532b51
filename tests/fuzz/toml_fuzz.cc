// Fuzzes configurations, with overrides after a line "%%". What is accepted can be written out as a configuration that
// is accepted and means the same, before and after the defaults are filled in.
#include <algorithm>

#include "fuzz.h"
#include "pollen/config.h"
#include "pollen/errors.h"

namespace pollen::fuzz {
namespace {

Overrides take_overrides(std::string& text) {
  constexpr std::string_view kMark = "\n%%\n";
  const std::size_t mark = text.find(kMark);
  if (mark == std::string::npos) return {};
  Overrides overrides;
  std::string_view rest = std::string_view(text).substr(mark + kMark.size());
  while (!rest.empty() && overrides.size() < 4) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    overrides.emplace_back(line);
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
  }
  text.resize(mark + 1);
  return overrides;
}

void check_problems(const ConfigError& error) {
  HOLDS(!error.problems().empty() && error.problems().size() <= ConfigError::kMost);
  for (const Problem& problem : error.problems()) HOLDS(!problem.what.empty());
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const unsigned shape = input.byte();
  const Index clients = 1 + (shape & 3), dimension = 1 + (shape >> 2 & 31);
  std::string text = input.text();
  const Overrides overrides = take_overrides(text);
  Config config;
  try {
    config = read_config_text(text, "in.toml", overrides);
  } catch (const ConfigError& error) {
    check_problems(error);
    return 0;
  }
  const std::string written = to_toml(config);
  Config again = read_config_text(written, "again.toml");
  HOLDS(to_toml(again) == written);
  std::vector<std::string> warnings;
  try {
    complete(config, clients, dimension, warnings);
  } catch (const ConfigError& error) {
    check_problems(error);
    return 0;
  }
  const std::string whole = to_toml(config);
  complete(again, clients, dimension, warnings);
  HOLDS(to_toml(again) == whole);
  Config last = read_config_text(whole, "last.toml");
  complete(last, clients, dimension, warnings);
  HOLDS(to_toml(last) == whole);
  return 0;
}
