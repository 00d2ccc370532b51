// Fuzzes libsvm text. Rows that are accepted have rising positions, and read the same after they are written out.
#include "data/cell.h"
#include "data/readers.h"
#include "pollen/errors.h"
#include "table.h"

namespace pollen::fuzz {
namespace {

void check_rows(const data::SparseRows& rows, std::size_t count, Index width) {
  HOLDS(rows.begin.size() == count + 1 && rows.begin.front() == 0 && rows.begin.back() == rows.position.size());
  HOLDS(rows.value.size() == rows.position.size());
  for (std::size_t r = 0; r < count; ++r) {
    HOLDS(rows.begin[r] <= rows.begin[r + 1]);
    for (std::size_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k) {
      HOLDS(rows.position[k] < width && std::isfinite(rows.value[k]));
      HOLDS(k == rows.begin[r] || rows.position[k] > rows.position[k - 1]);
    }
  }
}

std::string to_libsvm(const data::RawTable& table, const data::SparseRows& rows) {
  std::string out;
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out += data::number_text(table.columns[0].number[r]);
    for (std::size_t k = rows.begin[r]; k < rows.begin[r + 1]; ++k)
      out += ' ' + std::to_string(rows.position[k] + 1) + ':' + data::number_text(rows.value[k]);
    out += '\n';
  }
  return out;
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen;
  using namespace pollen::fuzz;
  Input input(data, size);
  const Index limit = input.byte() & 3;
  const std::string text = input.text();
  data::RawTable table;
  try {
    table = data::parse_libsvm(text, limit, "in.svm");
  } catch (const ConfigError&) {
    return 0;
  }
  HOLDS(table.columns.size() == 1 && table.blocks.size() == 1);
  check_table(table, limit);
  const auto& rows = std::get<data::SparseRows>(table.blocks[0].store);
  check_rows(rows, table.rows.size(), table.width);
  const data::RawTable again = data::parse_libsvm(to_libsvm(table, rows), 0, "again.svm");
  check_same(table, again);
  const auto& same_rows = std::get<data::SparseRows>(again.blocks[0].store);
  HOLDS(rows.begin == same_rows.begin && rows.position == same_rows.position && rows.value == same_rows.value);
  return 0;
}
