// Fuzzes CmdStan's CSV as anybody may have written it. The result is columns of equal length, or a ConfigError.
#include "fuzz.h"
#include "pollen/errors.h"
#include "sink/stan_csv.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const std::string text = input.text();
  try {
    const sink::StanCsv csv = sink::parse_stan_csv(text, "in.csv");
    HOLDS(!csv.names.empty() && csv.names.size() == csv.columns.size());
    for (const std::string& name : csv.names) HOLDS(!name.empty() && !name.ends_with("__"));
    for (const auto& column : csv.columns) HOLDS(std::ssize(column) == csv.rows());
    HOLDS(csv.lp.empty() || std::ssize(csv.lp) == csv.rows());
  } catch (const ConfigError&) {
  }
  return 0;
}
