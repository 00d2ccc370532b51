// The handshake by which clients with files of their own come to encode their rows in the same way. Each client sends
// the names in its file (ColumnFacts), and all receive the layout: the columns, with the levels of all clients. Then
// each client sends sums of its encoded columns (ColumnMoments), and all receive the scaling, which also says which
// constant columns are left out. No rows are sent.
//
// ColumnHandshake takes what clients say, in any order, and computes layout and scaling over the clients in the order
// of their numbers. Rank 0 of a run whose ranks read their own files (src/run/own_files.cc) and the server of a
// federation (src/federation) use it. load_federation(), which has all rows, uses the functions at the end. Not
// thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "data/constant_columns.h"
#include "data/row_layout.h"
#include "pollen/data.h"

namespace pollen {

class ColumnHandshake {
 public:
  ColumnHandshake() = default;
  ColumnHandshake(DataSpec spec, TargetKind target, std::size_t clients);

  std::optional<ColumnFacts> layout;
  std::optional<ColumnScaling> scaling;

  // Takes what a client says. Returns why it cannot be accepted, or an empty text. Once there is a layout, columns are
  // only compared with it. Moments are taken once there is a layout.
  [[nodiscard]] std::string take(std::size_t client, ColumnFacts facts);
  [[nodiscard]] std::string take(std::size_t client, ColumnMoments moments);
  // Forgets what a client said, because it will say it again.
  void forget(std::size_t client);

  // Sets the layout once every client has sent its columns, and later the scaling once every client has sent its
  // moments. Returns the clients whose columns differ from those of more than half of all, with the reason; there is no
  // layout until they are forgotten and have spoken again. Throws ConfigError, with clients called by `names`, if
  // columns differ and no such majority exists, and if columns cannot be standardised or must not be constant.
  [[nodiscard]] std::map<std::size_t, std::string> agree(const std::vector<std::string>& names);

  // Returns the bits that exchanging levels costs, as load_federation() counts them: every client sends its levels and
  // receives all levels. Levels that the configuration gives are not exchanged. There must be a layout.
  std::int64_t level_bits() const;

  // Returns what is to be said about columns that are left out, and about clients, called by `names`, whose files
  // differ from the others' as if by mistake (data/site_doubts.h). There must be a layout.
  std::vector<std::string> notes(const std::vector<std::string>& names) const;

 private:
  std::map<std::size_t, std::string> agree_on_layout(const std::vector<std::string>& names);
  // All encoded columns, for which clients send moments.
  PooledColumns pooled_columns() const;

  DataSpec spec_;
  TargetKind target_ = TargetKind::none;
  std::vector<std::optional<ColumnFacts>> columns_;
  std::vector<std::optional<ColumnMoments>> moments_;
};

// Returns how the columns of a file differ from the expected ones, or an empty text if they are the same columns of the
// same kinds; levels may differ. `whose` says who has the expected ones, such as "most clients' files have".
std::string column_difference(const ColumnFacts& expected, const ColumnFacts& found, const std::string& whose);

// Returns whether two clients describe rows of the same columns and classes; the number of rows may differ.
bool same_columns(const SiteFacts& a, const SiteFacts& b);

// Returns the clients that differ from more than half of all, none if there is no such majority, because it is unclear
// who is wrong then. `like` is set to a client of the majority. It calls same(i, j) about twice per client.
template <class Same>
std::vector<std::size_t> odd_clients(std::size_t clients, const Same& same, std::size_t& like) {
  std::vector<std::size_t> odd;
  for (std::size_t i = 0, votes = 0; i < clients; ++i) {
    if (votes == 0) like = i;
    votes = same(like, i) ? votes + 1 : votes - 1;
  }
  for (std::size_t i = 0; i < clients; ++i)
    if (!same(like, i)) odd.push_back(i);
  if (2 * (clients - odd.size()) <= clients) odd.clear();
  return odd;
}

// Returns the names of the clients: the file's name without folder, .gz and extension, or the whole path if two names
// would be the same.
std::vector<std::string> names_of_files(const std::vector<std::string>& files);

// Returns whether a file is csv, by data.format or by its name.
bool is_csv(const DataSpec& spec, const std::string& path);

// Returns whether columns are standardised for a model with such a target.
bool standardizes(const DataSpec& spec, TargetKind target);

// Returns whether clients send sums of their columns: to standardise them, or to find those that are constant.
bool pools_columns(const DataSpec& spec, TargetKind target);

// Returns the places of the columns that cannot be standardised, because a mean or sd is no number or an sd is 0.
std::vector<std::size_t> unusable_columns(const ColumnScaling& scaling);

// Returns what is wrong with a scaling that somebody sent for so many encoded columns, or an empty text.
// `moments`: whether the moments of columns that are not standardised are among it.
std::string scaling_fault(const ColumnScaling& scaling, std::size_t columns, bool standardized, bool moments = false);
// Whether a scaling has the means and standard deviations of columns that keep their own, by which a prior goes.
bool keeps_raw_moments(const DataSpec& spec, bool standardized);

// Returns the bits that pooling so many columns costs: every client sends its sums and receives what was agreed.
std::int64_t pooling_bits(Index clients, std::size_t columns, const ColumnScaling& agreed);

}  // namespace pollen
