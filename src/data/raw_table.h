// What a reader yields: rows as they stand in the file, before anything is encoded or split.
//
// Named columns hold cells (numbers, text, missing); a block holds features that are numbers already (images, sparse
// rows). csv has only columns; libsvm, idx and cifar have a block and their labels as columns. Not thread-safe while it
// is filled.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>

#include "pollen/types.h"
#include "spill.h"

namespace pollen::data {

// The cells of one column. code[r] is kNumber, kMissing or the index in `texts` of a cell that is no number.
class Column {
 public:
  static constexpr std::int32_t kNumber = -1;
  static constexpr std::int32_t kMissing = -2;

  std::string name;
  bool as_text = false;  // numbers are kept as text too, in their shortest form
  Long<double> number;   // NaN where the cell is no number
  Long<std::int32_t> code;
  std::vector<std::string> texts;  // in order of appearance

  void add_number(double value);
  void add_missing();
  void add_text(std::string_view text);
  void add_cell(std::string_view cell);  // whatever it holds
  void append(const Column& other);
  bool missing(std::size_t row) const { return code[row] == kMissing; }

 private:
  std::unordered_map<std::string, std::int32_t> known_;  // looked up only, never walked
};

struct ByteRows {  // one byte a value, records `pitch` bytes apart; the value is byte / divisor
  std::string bytes;
  std::size_t first = 0;
  std::size_t pitch = 0;
  double divisor = 1.0;
};

struct DenseRows {
  Long<double> values;
};

// A generator's rows, where they are many: made when they are asked for, kept until those of another client are.
class RowMaker {
 public:
  using Make = std::function<Long<double>(std::uint32_t client)>;
  explicit RowMaker(Make make) : make_(std::move(make)) {}
  const Long<double>& rows(std::uint32_t client) {
    if (client != last_) made_ = make_(client);
    last_ = client;
    return made_;
  }

 private:
  Make make_;
  std::uint32_t last_ = 0xffffffff;
  Long<double> made_;
};

struct MadeRows {
  std::shared_ptr<RowMaker> maker;
  std::uint32_t client = 0;
};

struct SparseRows {  // row r has entries begin[r] .. begin[r+1]-1; positions count from 0
  std::vector<std::size_t> begin{0};
  Long<std::uint32_t> position;
  Long<double> value;
};

struct Block {
  Index width = 0;
  std::variant<ByteRows, DenseRows, MadeRows, SparseRows> store;
  void write(std::size_t row, double* out) const;  // out is zero before; at least `width` long
};

struct RowId {
  std::uint32_t source = 0;  // which file
  std::uint32_t local = 0;   // the row's place in its block
  std::uint32_t line = 0;    // for messages: the line of a text file, or the record, from 1
};

inline constexpr const char* kWriter = "writer";  // the column that by-writer adds

struct RawTable {
  std::vector<std::string> files;
  std::vector<RowId> rows;
  std::vector<Column> columns;
  std::vector<Block> blocks;  // one a file, or none
  Index width = 0;            // of the widest block
  std::string prefix = "x";   // a block's features are prefix1, prefix2, ...

  template <class Store>
  void add_block(Index features, Store store) {
    Block& block = blocks.emplace_back();
    block.width = features;
    block.store.template emplace<Store>(std::move(store));
    width = features > width ? features : width;
  }
  std::vector<std::string> column_names() const;
  Index find(const std::string& name) const;  // -1 when there is none
  std::string where(std::size_t row) const;   // "heart.csv: row 17"
  std::string where(std::size_t row, const std::string& column) const;
};

// Adds the rows of `from`, which has the same columns (in any order) or else is a ConfigError that names its file.
void append(RawTable& into, RawTable&& from);

}  // namespace pollen::data
