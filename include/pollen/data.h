// Data: from files or generators to one table per federation, its rows grouped by client.
//
//   DataSpec spec;
//   spec.sources = {"heart.csv"};
//   const Federation data = load_federation(spec, TargetKind::binary, seed, "my program");
//   const RowsView x = data.train.view();                 // client i has rows train_begin[i] .. train_begin[i+1]-1
//
// load_federation() reads, encodes (one-hot, classes), splits over clients, holds out or reads test rows, standardises
// and adds the intercept, in that order; everything random comes from `seed`. Every fault of the input is a ConfigError
// that names file and row. Formats: docs/data.md.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pollen/types.h"

namespace pollen {

enum class TargetKind { none, real, binary, classes, count };  // what the model wants of y

struct DataSpec {
  std::vector<std::string> sources;  // a built-in name or a path; several with partition = "given"
  std::string format;                // csv | libsvm | idx | cifar | pollen (a store); empty = by the file's name
  std::string labels;  // idx: the label file; empty = the image file's name with images-idx3 → labels-idx1
  std::string target;  // csv: the column to predict; empty = the last
  std::vector<std::string> categorical;                    // csv: columns read as text whatever they hold
  std::map<std::string, std::vector<std::string>> levels;  // csv: a column's levels, given; the target's too
  std::vector<std::string> positive;                       // binary: these labels are class 1, all others class 0
  std::string missing = "error";                           // error | drop | mean
  bool header = true;                                      // csv: the first row names the columns; else c1, c2, ...
  std::vector<std::string> features;                       // csv: only these columns; empty = all but the target
  std::optional<bool> standardize;                         // absent: true, but false for synthetic-mixed
  std::optional<bool> intercept;                           // absent: true, but false for synthetic-mixed
  double test_fraction = 0.2;
  std::string test_source;        // a file of test rows; nothing is held out then
  std::string test_labels;        // idx: its label file; empty = by the name
  std::string ood_source;         // classifiers: a file of rows from elsewhere, whose labels are not looked at
  std::string distill_source;     // classifiers: a file of rows that the server has, whose labels are not looked at
  std::string partition = "iid";  // iid | dirichlet | label-shards | dominant-label | label-pairs | classes-per-client
                                  // | by-column | by-writer | given
  std::optional<Index> clients;   // absent: 10; 20 for dominant-label and label-pairs; by-writer: all there are
  double dirichlet_alpha = 1.0;
  Index shards = 2;                      // label-shards: shards a client
  std::optional<double> dominant_share;  // absent: 0.4 for dominant-label, 0.8 for label-pairs
  double other_share = 0.01;             // dominant-label: of every label that is not the client's own
  Index classes_per_client = 2;
  std::string column;    // by-column
  std::string writers;   // by-writer, idx: the file of the writers
  Index least_rows = 1;  // by-column, by-writer: clients with fewer are left out
  Index limit = 0;       // the first rows of the file only; 0 = all
  // synthetic-gaussian, synthetic-logistic, synthetic-mixed
  Index dimension = 50;
  std::optional<double> heterogeneity;  // sd of the clients' means or latents; absent: 5, but 1 for synthetic-mixed
  Index min_size = 10;
  Index max_size = 200;
  double alpha = 1.0;  // SYNTHETIC(α, β) of Li et al. 2020
  double beta = 1.0;
  Index latent_dimension = 2;             // synthetic-mixed: d, at most `dimension`
  double noise_sd = 0.31622776601683794;  // synthetic-mixed: of y; variance 0.1
  double small_share = 0.9;           // synthetic-mixed: the first clients, with min_size rows; others have max_size
  Index most_cells = Index{1} << 30;  // no key: the most numbers a table may have; 8 GiB of doubles
};

// The keys whose default depends on the source or the partition, filled in where they are absent.
DataSpec with_defaults(DataSpec spec);

// Every file that a spec names besides its sources, taken out.
void clear_paths(DataSpec& spec);

// The numbers of a table, 64-byte aligned: in memory of their own, or in a mapped file, which stays mapped as long as
// they are. A store's are read-only: writing to them is a fault, reading through either kind of access is not.
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
  // Into memory of its own.
  void assign(std::size_t count, double value) { *this = Numbers(), own_.assign(count, value); }
  void resize(std::size_t count, double value = 0.0) { own_.resize(count, value); }  // not of a mapped file's

  // `count` of them: of the same file, or a copy.
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

// Rows of numbers with their targets. x is row-major, rows `stride` doubles apart (a multiple of 8, padding zero).
struct Table {
  Index rows = 0;
  Index columns = 0;
  Index stride = 0;
  Numbers x;
  Numbers y;
  RowsView view() const { return {x.data(), rows, columns, stride}; }
};

// What the clients are called. Names "1", "2", ... take no memory.
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
  std::vector<std::string> words_;  // none where they are numbers
};

// How columns became numbers, for rows that come later.
struct Encoder {
  std::vector<std::string> columns;  // the file's, features alone; empty for formats without columns
  std::map<std::string, std::vector<std::string>> levels;  // of text columns, and of a target with classes
  std::string target;                                      // its column
  std::vector<double> mean, sd;  // of feature_names but the intercept; empty: left as they were
};

struct Federation {
  Table train;  // client i's rows are train_begin[i] .. train_begin[i+1]-1
  Table test;
  std::vector<Index> train_begin;
  Table ood;                      // rows of data.ood_source, without targets; none where it is not asked for
  Table distill;                  // likewise, of data.distill_source
  std::vector<Index> test_begin;  // as train_begin; rows from its last number on are no client's (data.test_source)
  ClientNames client_names;       // "1", "2", ... or the file's or the column's value
  std::vector<std::string> feature_names;  // of the columns, "intercept" first where there is one
  bool intercept = false;                  // column 0 is ours
  std::vector<std::string> class_names;    // sorted labels; empty unless the target is binary or classes
  std::int64_t setup_bits = 0;             // standardisation's counts, sums and squares; levels exchanged
  std::int64_t level_bits = 0;             // of these, the levels and labels: 0 where all are given
  std::vector<std::string> notes;          // rows dropped, clients redrawn: for the summary's warnings
  Encoder encoder;

  Index clients() const { return static_cast<Index>(train_begin.size()) - 1; }
  Index train_rows(Index i) const {
    return train_begin[static_cast<std::size_t>(i) + 1] - train_begin[static_cast<std::size_t>(i)];
  }
};

// `where` names the config file in error messages.
Federation load_federation(const DataSpec& spec, TargetKind target, std::uint64_t seed, const std::string& where);

// Rows of a csv file as `trained` has them, `spec` being what it was loaded with. With TargetKind::none no target is
// needed and y stays empty. ConfigError where columns or levels are missing or new.
Table load_rows(const std::string& file, const DataSpec& spec, const Federation& trained, TargetKind target);

// A federation whose clients read their own files: what they exchange so that all encode alike. No rows.

// A file's columns by name: levels of text columns and labels.
struct ColumnFacts {
  std::vector<std::string> columns;  // features, as in the file; empty for formats without columns
  std::string target;
  std::map<std::string, std::vector<std::string>> levels;  // of text columns, and of a target with classes
  Index width = 0;                                         // of formats without columns
  bool operator==(const ColumnFacts&) const = default;
};
ColumnFacts column_facts(const std::string& file, const DataSpec& spec, TargetKind target);
// The union of all clients' levels. ConfigError naming the client whose columns are others.
ColumnFacts union_of(const std::vector<ColumnFacts>& clients, const std::vector<std::string>& names);

// One client's file, encoded by the layout of all; not yet standardised. `client` is its number, `seed` its own.
Federation load_part(const std::string& file, const DataSpec& spec, const ColumnFacts& layout, TargetKind target,
                     std::uint32_t client, std::uint64_t seed);

// What a client sends for standardisation: n_i, S_i = Σx and Q_i = Σ(x - S_i/n_i)² of every column but the intercept.
struct ColumnMoments {
  double count = 0.0;
  std::vector<double> sum, squares;
};
struct ColumnScaling {
  std::vector<double> mean, sd;  // 0 and 1 for a column that is left alone
};
ColumnMoments moments_of(const Federation& federation, std::size_t client);
ColumnScaling pooled(const std::vector<ColumnMoments>& clients);  // in client order
void standardize(const ColumnScaling& scaling, Federation& federation);

// What a client says of its part before anything is sampled.
struct SiteFacts {
  Index features = 0, classes = 2;
  std::vector<std::string> feature_names, class_names;
  Index rows = 0;
  bool curvature_is_bound = false;
  bool operator==(const SiteFacts&) const = default;
};

// The clients × classes table of `pollen data`: rows, test rows and, with classes, training rows of each class.
std::string describe(const Federation& federation);

std::vector<std::string> builtin_datasets();

// What synthetic-mixed was made from: y ~ N(xᵀΦz_i, noise_sd²). ΦᵀΦ = I.
struct MixedTruth {
  std::vector<double> phi;  // k x d, columns one after the other
  std::vector<double> z;    // clients x d, client after client
};
MixedTruth synthetic_mixed_truth(const DataSpec& spec, std::uint64_t seed);

}  // namespace pollen
