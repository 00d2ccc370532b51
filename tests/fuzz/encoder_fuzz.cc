// Fuzzes encoder.json. A layout that is accepted survives being written and read, and rows are encoded with it or
// refused.
#include "data/row_layout.h"
#include "fuzz.h"
#include "pollen/errors.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const std::string text = input.text();
  RowLayout layout;
  try {
    layout = parse_layout(text, "encoder.json");
  } catch (const ConfigError&) {
    return 0;
  }
  HOLDS(layout.features() >= 1);
  HOLDS(layout.mean.size() == layout.sd.size());
  HOLDS(layout.mean.empty() || std::ssize(layout.mean) == layout.encoded());
  HOLDS(layout.fill.empty() || std::ssize(layout.fill) == layout.encoded());
  HOLDS(!layout.classifies() || layout.classes.size() >= 2);
  if (layout.width < 10'000) HOLDS(std::ssize(layout.feature_names()) == layout.features());
  const std::string again = to_json(layout);
  HOLDS(parse_layout(again, "again.json") == layout);
  return 0;
}
