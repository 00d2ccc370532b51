// Loads the data of a federation from files or generators: one table whose rows are grouped by client (docs/data.md).
//
//   DataSpec spec;
//   spec.sources = {"heart.csv"};
//   const Federation data = load_federation(spec, TargetKind::binary, seed, "my program");
//   const RowsView x = data.train.view();                 // client i has the rows train_begin[i] .. train_begin[i+1]-1
//
// load_federation() reads the rows, encodes them (one-hot, classes), splits them over clients, holds out or reads test
// rows, standardises and adds the intercept, in that order. Everything random is drawn from `seed`. A fault of the
// input is a ConfigError that names the file and the row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "pollen/types.h"

namespace pollen {

enum class TargetKind { none, real, binary, classes, count };  // which targets the model needs

// The keys of [data] (docs/data.md): where rows come from and how they are split over clients.
struct DataSpec {
  std::vector<std::string> sources;  // a built-in name or a path; several only with partition = "given"
  std::string format;                // csv | libsvm | idx | cifar | pollen (a store); empty: decided by the file's name
  std::string labels;  // idx: the label file; empty: the image file's name with images-idx3 → labels-idx1
  std::string target;  // csv: the column to predict; empty: the last
  std::vector<std::string> categorical;  // csv: columns that are read as text, whatever they hold
  // csv: known levels of columns, the target included; the first is the reference, the second of two labels the event
  std::map<std::string, std::vector<std::string>> levels;
  std::vector<std::string> positive;  // binary: these labels are class 1, all others class 0
  std::string missing = "error";      // error | drop | mean
  // What becomes of a column that is the same in all training rows: drop | error | keep. Absent: drop, but keep for
  // images.
  std::optional<std::string> constant;
  bool header = true;                 // csv: the first row names the columns; else they are c1, c2, ...
  std::vector<std::string> features;  // csv: only these columns; empty: all but the target
  std::vector<std::string> exclude;   // csv: columns that are never read
  std::optional<bool> standardize;    // absent: true, but false for synthetic-mixed
  std::optional<bool> intercept;      // absent: true, but false for synthetic-mixed
  double test_fraction = 0.2;
  std::string test_source;        // a file of test rows, in place of rows that are held out
  std::string test_labels;        // idx: the label file of test_source; empty: found by its name
  std::string ood_source;         // classifiers: a file of out-of-distribution rows; their labels are ignored
  std::string distill_source;     // classifiers: a file of rows that the server has; their labels are ignored
  std::string partition = "iid";  // iid | dirichlet | label-shards | dominant-label | label-pairs | classes-per-client
                                  // | by-column | by-writer | given
  std::optional<Index> clients;   // absent: 10; 20 for dominant-label and label-pairs; all writers for by-writer
  double dirichlet_alpha = 1.0;
  Index shards = 2;                      // label-shards: shards per client
  std::optional<double> dominant_share;  // absent: 0.4 for dominant-label, 0.8 for label-pairs
  double other_share = 0.01;             // dominant-label: the share of every label but the client's dominant one
  Index classes_per_client = 2;
  std::string column;    // by-column: the column whose values name the clients
  std::string writers;   // by-writer, idx: the file that names each row's writer
  Index least_rows = 1;  // by-column, by-writer: clients with fewer rows are left out
  Index limit = 0;       // use only the first rows of the file; 0: all
  Index min_cell = 0;    // the least training rows of a client behind a level, an indicator or a pair of them; 0: any
  // The keys of the generators synthetic-gaussian, synthetic-logistic and synthetic-mixed.
  Index dimension = 50;
  std::optional<double> heterogeneity;  // sd of the clients' means or latents; absent: 5, but 1 for synthetic-mixed
  Index min_size = 10;
  Index max_size = 200;
  double alpha = 1.0;  // SYNTHETIC(α, β) of Li et al. 2020
  double beta = 1.0;
  Index latent_dimension = 2;             // synthetic-mixed: d, at most `dimension`
  double noise_sd = 0.31622776601683794;  // synthetic-mixed: the standard deviation of y; the variance is 0.1
  double small_share = 0.9;  // synthetic-mixed: this share of clients (the first) has min_size rows, the rest max_size
  // Whether clients send the sums and squares of their columns in any case, and of the target, by which
  // model.prior = "auto" goes; not keys.
  bool column_moments = false, target_moments = false;
  // What standardising leaves alone: with `centred` = false the origin of all columns, because no intercept can take up
  // their means; the origin of some; their scale. The model decides (recipe/models.cc, run/problem.h); they are not
  // keys.
  bool centred = true;
  std::vector<std::string> keep_origin, keep_scale;
  // Whether the source is the file of one client of several, so that columns of data.exclude may be in others' files
  // only; not a key.
  bool one_of_several = false;
  Index most_cells = Index{1} << 30;  // the most numbers that a table may have, 8 GiB of doubles; not a key
};

// Fills in the absent keys whose default depends on the source or the partition.
DataSpec with_defaults(DataSpec spec);

// The names of all files that a spec mentions besides its sources; some may be empty.
std::vector<std::string*> named_files(DataSpec& spec);

// The numbers of a table, 64-byte aligned. They are in memory of their own or in a mapped file, which stays mapped for
// as long as they exist. The numbers of a store are read-only: writing to them crashes the program, while reading them
// is safe through const and non-const access alike.
class Numbers {
 public:
  using value_type = double;
  using iterator = double*;
  using const_iterator = const double*;

  Numbers() = default;
  explicit Numbers(std::size_t count) : own_(count, 0.0) {}
  Numbers(std::initializer_list<double> values) : own_(values) {}
  Numbers(const std::vector<double>& values) : own_(values.begin(), values.end()) {}
  Numbers(double* mapped, std::size_t count, std::shared_ptr<const void> keeper)
      : keeper_(std::move(keeper)), mapped_(mapped), count_(count) {}

  double* data() { return mapped_ != nullptr ? mapped_ : own_.data(); }
  const double* data() const { return mapped_ != nullptr ? mapped_ : own_.data(); }
  std::size_t size() const { return mapped_ != nullptr ? count_ : own_.size(); }
  bool empty() const { return size() == 0; }
  bool is_mapped() const { return mapped_ != nullptr; }
  double& operator[](std::size_t i) { return data()[i]; }
  double operator[](std::size_t i) const { return data()[i]; }
  double* begin() { return data(); }
  double* end() { return data() + size(); }
  const double* begin() const { return data(); }
  const double* end() const { return data() + size(); }
  // Replaces the numbers by `count` equal ones in memory of their own.
  void assign(std::size_t count, double value) { *this = Numbers(), own_.assign(count, value); }
  void resize(std::size_t count, double value = 0.0) { own_.resize(count, value); }  // not for a mapped file

  // Returns `count` of the numbers from `first` on: in the same mapped file, or as a copy.
  Numbers part(std::size_t first, std::size_t count) const {
    if (mapped_ != nullptr) return {mapped_ + first, count, keeper_};
    Numbers some;
    some.own_.assign(begin() + first, begin() + first + count);
    return some;
  }

  bool operator==(const Numbers& other) const { return std::ranges::equal(*this, other); }

 private:
  AlignedVector<double> own_;
  std::shared_ptr<const void> keeper_;
  double* mapped_ = nullptr;
  std::size_t count_ = 0;
};

// Rows of numbers with their targets. x is row-major with rows `stride` doubles apart; stride is a multiple of 8, and
// the padding is zero.
struct Table {
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;
  Numbers x;
  Numbers y;
  RowsView view() const { return {x.data(), rows, columns, stride}; }
  // Returns some of the rows with their targets, if there are any.
  Table part(Index first, Index count) const {
    const auto at = static_cast<std::size_t>(first), n = static_cast<std::size_t>(count);
    const auto width = static_cast<std::size_t>(stride);
    return {count, columns, stride, x.part(at * width, n * width), y.empty() ? Numbers() : y.part(at, n)};
  }
};

// The names of the clients. The names "1", "2", ... take no memory.
class ClientNames {
 public:
  ClientNames() = default;
  explicit ClientNames(std::size_t count) : count_(count) {}
  ClientNames(std::vector<std::string> names) : count_(names.size()) {
    for (std::size_t i = 0; i < count_ && words_.empty(); ++i)
      if (names[i] != number(i)) words_.swap(names);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool numbered() const { return words_.empty(); }
  std::string operator[](std::size_t i) const { return numbered() ? number(i) : words_[i]; }
  std::vector<std::string> list() const {
    std::vector<std::string> out = words_;
    for (std::size_t i = out.size(); i < count_; ++i) out.push_back(number(i));
    return out;
  }
  bool operator==(const ClientNames&) const = default;

 private:
  static std::string number(std::size_t i) { return std::to_string(i + 1); }

  std::size_t count_ = 0;
  std::vector<std::string> words_;  // empty if the names are "1", "2", ...
};

// The names behind the numbers of a table or a client's file: its columns, the levels of text columns and the labels.
// Rows that are read later are encoded by the same names.
struct ColumnFacts {
  std::vector<std::string> columns;  // feature columns in the file's order; empty for formats without columns
  std::string target;
  // Levels of text columns and labels of the target, in the order in which they are encoded.
  std::map<std::string, std::vector<std::string>> levels;
  Index width = 0;  // the number of features of formats without columns
  bool operator==(const ColumnFacts&) const = default;
};

// What a column of a file holds, as it was read.
enum class ColumnType { empty, numbers, whole_numbers, text, dates, times };
struct ColumnSummary {
  std::string name;
  ColumnType type = ColumnType::empty;
  Index rows = 0, missing = 0;
  Index distinct = 0;   // different values; of more than 1,000 numbers of which some are alike, not all are counted
  bool alike = false;   // two rows have the same value
  bool rising = false;  // numbers that rise from row to row
  Index round = 0;      // numbers that end in 0
  std::vector<std::string> levels;        // of text, in the order of appearance
  bool addresses = false, units = false;  // texts that mostly are e-mail addresses or UUIDs, or numbers with a unit
  std::string example;                    // a date or a text of the column
  double lowest = 0, highest = 0;         // of numbers
};

// How features were standardised, and which encoded columns were left out before that.
struct ColumnScaling {
  // One per feature but the intercept; 0 and 1 for a column that is not scaled. Empty if features are not standardised.
  std::vector<double> mean, sd;
  std::vector<double> target =
      {};  // the target's mean and standard deviation, if they were asked for; it is not scaled
  std::vector<std::int64_t> dropped = {};  // rising places among all encoded columns, without the intercept
  std::vector<double> constants = {};      // the means of these columns: their values, where they are constant
  // The columns' own means and standard deviations, if they were asked for and some are not standardised or keep their
  // origin; 0 and 1 for a constant.
  std::vector<double> raw_mean = {}, raw_sd = {};
  bool operator==(const ColumnScaling&) const = default;
};

// By what a file that was read is known again.
struct FileDigest {
  std::string path;
  std::int64_t bytes = 0;
  std::uint32_t crc = 0;  // CRC-32 of the file; of a store: of its header, which holds the checksums of the rest
  bool operator==(const FileDigest&) const = default;
};

// The data of all clients, as load_federation() returns them.
struct Federation {
  Table train;  // client i has the rows train_begin[i] .. train_begin[i+1]-1
  Table test;
  std::vector<Index> train_begin;
  Table ood;                      // rows of data.ood_source, without targets; empty if there is none
  Table distill;                  // rows of data.distill_source, without targets; empty if there is none
  std::vector<Index> test_begin;  // like train_begin; rows beyond its last number are no client's (test_source)
  ClientNames client_names;       // "1", "2", ..., or the names of files, or the values of a column
  std::vector<std::string> feature_names;  // one per column; the intercept, if there is one, comes first
  bool intercept = false;                  // column 0 is an intercept that was added
  std::vector<std::string> class_names;    // labels by class; empty unless the target is binary or has classes
  std::int64_t setup_bits = 0;     // bits of the exchanged levels and of standardisation's counts, sums and squares
  std::int64_t level_bits = 0;     // the part of setup_bits for levels and labels; 0 if all are given in advance
  std::vector<std::string> notes;  // for the summary's warnings: rows dropped, clients redrawn
  ColumnFacts layout;
  ColumnScaling scaling;
  // The columns in use as they were read, before rows were dropped or cells imputed. None for a store, or if other
  // ranks read files, too.
  std::vector<ColumnSummary> columns = {};
  Index imputed = 0;                   // missing cells that took their column's mean
  std::vector<FileDigest> files = {};  // those that ranks have read, each its own; known to rank 0

  Index clients() const { return static_cast<Index>(train_begin.size()) - 1; }
  Index train_rows(Index i) const {
    return train_begin[static_cast<std::size_t>(i) + 1] - train_begin[static_cast<std::size_t>(i)];
  }
};

// Loads all clients' rows. `where` names the configuration file in error messages.
Federation load_federation(const DataSpec& spec, TargetKind target, std::uint64_t seed, const std::string& where);

// Reads the rows of a csv file and encodes them like the rows of `trained`, which was loaded with `spec`. With
// TargetKind::none no target is needed and y stays empty. ConfigError if columns or levels are missing or new.
Table load_rows(const std::string& file, const DataSpec& spec, const Federation& trained, TargetKind target);

// The rest of this header is for a federation whose clients read their own files: what they exchange so that all encode
// their rows in the same way. No rows are exchanged.

// Returns the names of the columns of a client's file that are used, the target included. It reads the header only, so
// that names are known where a cell is wrong. Files without columns have none.
std::vector<std::string> used_columns(const std::string& file, const DataSpec& spec, TargetKind target);

// What a client can say about its file by itself.
struct FileFacts {
  ColumnFacts columns;
  Index rows = 0, test_rows = 0;          // rows for training, and those that are held out
  std::vector<ColumnSummary> cells = {};  // what the columns in use hold
  std::vector<std::string> notes = {};
  std::map<std::string, Index> levels = {};  // how many levels text columns and labels have before any are pooled
  std::string told_apart = {};               // what of a row was passed to RowText::take, in words
};

// Takes a text for each row that is used, by which rows are told apart: the cell in `column`, or without a column all
// cells of the row, whatever the order of the file's columns. These are columns of the file as it is, also those of
// data.exclude.
struct RowText {
  std::string column = {};
  std::function<void(std::string_view)> take = {};
};
// `client` and `seed` are as in load_part(). They matter if data.min_cell is above 0.
FileFacts file_facts(const std::string& file, const DataSpec& spec, TargetKind target, std::uint32_t client = 0,
                     std::uint64_t seed = 0, const RowText& rows = {});

// Says what the columns in use of a client's file hold, also if the file cannot be used because of its cells.
std::vector<ColumnSummary> cells_of_file(const std::string& file, const DataSpec& spec, TargetKind target);

// Returns the names in a client's file.
inline ColumnFacts column_facts(const std::string& file, const DataSpec& spec, TargetKind target,
                                std::uint32_t client = 0, std::uint64_t seed = 0) {
  return file_facts(file, spec, target, client, seed).columns;
}

// Loads one client's file, encoded by the layout of all clients and not yet standardised. `client` is the client's
// number and `seed` its own seed.
Federation load_part(const std::string& file, const DataSpec& spec, const ColumnFacts& layout, TargetKind target,
                     std::uint32_t client, std::uint64_t seed);

// What a client sends for standardisation, and to find columns that are constant: n_i, and S_i = Σx and Q_i = Σ(x -
// S_i/n_i)² of every column but the intercept, and of the target if DataSpec::target_moments asks for it.
struct ColumnMoments {
  double count = 0.0;
  std::vector<double> sum, squares;
  std::vector<double> target = {};  // its sum and its squares, or nothing
};
ColumnMoments moments_of(const Federation& federation, std::size_t client, bool target = false);
// Returns the pooled mean and standard deviation of every column, in client order. The sd is 0 for a constant column.
ColumnScaling pooled(const std::vector<ColumnMoments>& clients);
// Leaves out the columns that are dropped from all tables, and standardises the others.
void standardize(const ColumnScaling& scaling, Federation& federation);

// What a client tells the server about its data before sampling starts.
struct SiteFacts {
  Index features = 0, classes = 2;
  std::vector<std::string> feature_names, class_names;
  Index rows = 0;
  bool curvature_is_bound = false;
  ColumnScaling scaling = {};   // how all clients' columns were standardised; empty if they were not
  bool shows_curvature = true;  // whether the client answers questions about its whole Hessian
  Index imputed = 0;            // missing cells that took their column's mean
  bool operator==(const SiteFacts&) const = default;
};

// Returns the tables that `pollen data` prints: for every column what it holds, which label is the event, and for every
// client its rows, its test rows and, with classes, its training rows of each class.
std::string describe(const Federation& federation, TargetKind target);
// Returns the table of the columns of one client's file, as that client would read it.
std::string describe_file(const std::string& file, const DataSpec& spec, TargetKind target);
// Returns that table for a file that describe_file() refuses, with its columns as they stand there.
std::string describe_unusable(const std::string& file, const DataSpec& spec, TargetKind target);

std::vector<std::string> builtin_datasets();

// The true parameters behind synthetic-mixed: y ~ N(xᵀΦz_i, noise_sd²) with ΦᵀΦ = I.
struct MixedTruth {
  std::vector<double> phi;  // k × d, column by column
  std::vector<double> z;    // clients × d, client by client
};
MixedTruth synthetic_mixed_truth(const DataSpec& spec, std::uint64_t seed);

}  // namespace pollen
