// The output of a reader: rows as they stand in the file, before anything is encoded or split.
//
// Named columns hold cells (numbers, text, missing). A block holds features that are numbers already (images, sparse
// rows). A csv file has only columns; libsvm, idx and cifar files have a block, and their labels as columns. Not
// thread-safe while it is filled.
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

// The cells of one column. code[r] is kNumber, kMissing, or for a cell with text its index in `texts`.
class Column {
 public:
  static constexpr std::int32_t kNumber = -1;
  static constexpr std::int32_t kMissing = -2;

  std::string name;
  bool as_text = false;  // if true, numbers are also kept as text in their shortest form
  Long<double> number;   // NaN if the cell is not a number
  Long<std::int32_t> code;
  std::vector<std::string> texts;  // in order of appearance
  std::string missing_word;        // a cell such as N/A that counts as missing; empty if there is none

  void add_number(double value);
  void add_missing();
  void add_text(std::string_view text);
  void add_cell(std::string_view cell);  // classifies the cell and adds it
  void append(const Column& other);
  // Makes every text the number that stands for it, or a missing cell where that is NaN. There is one for each text.
  void take_numbers(const std::vector<double>& of_texts);
  bool missing(std::size_t row) const { return code[row] == kMissing; }
  const std::string& text(std::size_t row) const {
    return texts[static_cast<std::size_t>(code[row])];
  }  // of a text cell

 private:
  std::unordered_map<std::string, std::int32_t> known_;  // only looked up, never iterated
};

struct ByteRows {  // one byte per value, records `pitch` bytes apart; the value is byte / divisor
  std::string bytes;
  std::size_t first = 0;
  std::size_t pitch = 0;
  double divisor = 1.0;
};

struct DenseRows {
  Long<double> values;
};

// Makes the rows of a generator on demand, when there are too many to hold. It keeps the rows of one client until those
// of another client are asked for.
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
  void write(std::size_t row, double* out) const;  // `out` must be zero and at least `width` long
};

struct RowId {
  std::uint32_t source = 0;  // index of the file
  std::uint32_t local = 0;   // the row's index in its block
  std::uint32_t line = 0;    // for messages: the line of a text file, or the record, counted from 1
};

struct ColumnNote {
  std::string column, text;
};

inline constexpr const char* kWriter = "writer";  // the column that by-writer adds

struct RawTable {
  std::vector<std::string> files;
  std::vector<RowId> rows;
  std::vector<Column> columns;
  std::vector<std::string> excluded;  // columns of the files that were not read, by data.exclude
  std::vector<ColumnNote> notes;      // what the reader has to say about cells
  std::vector<Block> blocks;          // one per file, or none
  Index width = 0;                    // width of the widest block
  std::string prefix = "x";           // the features of a block are called prefix1, prefix2, ...

  template <class Store>
  void add_block(Index features, Store store) {
    Block& block = blocks.emplace_back();
    block.width = features;
    block.store.template emplace<Store>(std::move(store));
    width = features > width ? features : width;
  }
  std::vector<std::string> column_names() const;
  Index find(const std::string& name) const;                            // -1 if there is no such column
  std::string where(std::size_t row, const std::string& column) const;  // "heart.csv: row 17, column age"
};

// Throws ConfigError if a table has more than `most` cells (DataSpec::most_cells). It is called before memory is taken,
// because tables are dense.
void check_dense(Index rows, Index columns, Index most, const std::string& where);

// Appends the rows of `from`. Throws ConfigError naming its file unless it has the same columns, in any order.
void append(RawTable& into, RawTable&& from);

}  // namespace pollen::data
