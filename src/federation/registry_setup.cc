// Set-up of a federation: clients with their own files agree on columns, levels and scaling, and all clients describe
// their part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "data/client_files.h"
#include "federation/federation.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

std::int64_t bits_of(const Bytes& frame) { return 8 * static_cast<std::int64_t>(frame.size() - wire::kFrameHeader); }

std::set<std::string> set_of(const std::vector<std::string>& names) { return {names.begin(), names.end()}; }

// Returns whether the layout covers the columns and levels of a client. It takes O(n log n) time for any input.
bool covers(const ColumnFacts& layout, const ColumnFacts& facts) {
  if (facts.target != layout.target || facts.width != layout.width || facts.columns.size() != layout.columns.size() ||
      set_of(facts.columns) != set_of(layout.columns))
    return false;
  return std::ranges::all_of(facts.levels, [&](const auto& own) {
    const auto known = layout.levels.find(own.first);
    return known != layout.levels.end() && std::ranges::includes(set_of(known->second), set_of(own.second));
  });
}

// Returns the clients that disagree with more than half of all. Without such a majority nobody is returned, because it
// is unclear who is wrong.
template <class Same>
std::vector<std::size_t> odd_ones(std::size_t clients, const Same& same) {
  std::vector<std::size_t> odd;
  std::size_t candidate = 0, votes = 0;
  for (std::size_t i = 0; i < clients; ++i) {
    if (votes == 0) candidate = i;
    votes = same(candidate, i) ? votes + 1 : votes - 1;
  }
  for (std::size_t i = 0; i < clients; ++i)
    if (!same(candidate, i)) odd.push_back(i);
  if (2 * (clients - odd.size()) <= clients) odd.clear();
  return odd;
}

bool finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

}  // namespace

void ConnectionRegistry::seated_frame(std::uint32_t client, Bytes frame) {
  const wire::Type type = wire::type_of(frame);
  switch (type) {
    case wire::Type::columns:
    case wire::Type::moments:
    case wire::Type::site:
      return setup_frame(client, type, frame);
    case wire::Type::refusal: {
      const auto message = wire::decode<wire::Refusal>(frame);
      options_.tell({"declined",
                     fmt::format("{} will not go on: {}", names_[client], message.why),
                     names_[client],
                     {},
                     Notice::Level::warning});
      const std::uint64_t link = seats_[client].link;
      links_.close(link);
      return lose(link);
    }
    case wire::Type::reply:
    case wire::Type::answer:
      if (!seats_[client].ready) throw WireError("message: an answer before set-up is over");
      messages_.push_back({client, false, std::move(frame)});
      return;
    default:
      throw WireError("message: not one a client sends");
  }
}

// Checks that columns, moments and site arrive once and in this order. Repeating one could make the server answer again
// and again.
void ConnectionRegistry::in_order(std::uint32_t client, wire::Type type) {
  Seat& seat = seats_[client];
  const int place = static_cast<int>(type);
  if (seat.ready || place <= seat.said) throw WireError("message: set-up out of order");
  if (type == wire::Type::moments && (!layout_ || seat.said == 0)) throw WireError("message: set-up out of order");
  seat.said = place;
}

void ConnectionRegistry::setup_frame(std::uint32_t client, wire::Type type, const Bytes& frame) {
  in_order(client, type);
  if (type == wire::Type::site) return got_site(client, wire::decode<wire::Site>(frame).facts);
  if (!gathered_) setup_bits_ += bits_of(frame);
  if (type == wire::Type::columns) return got_columns(client, wire::decode<wire::Columns>(frame).facts);
  got_moments(client, wire::decode<wire::Moments>(frame).moments);
}

bool ConnectionRegistry::send_away(const std::vector<std::size_t>& clients, const std::string& why) {
  for (const std::size_t i : clients) {
    dismiss(static_cast<std::uint32_t>(i), why, false);
    seats_[i].columns.reset();
    seats_[i].moments.reset();
    seats_[i].site.reset();
  }
  return !clients.empty();
}

void ConnectionRegistry::got_columns(std::uint32_t client, const ColumnFacts& facts) {
  Seat& seat = seats_[client];
  if (!layout_) {
    seat.columns = facts;
    return settle_layout();
  }
  if (!covers(*layout_, facts)) return dismiss(client, "its columns or levels are not those the run began with", false);
  send_to(seat.link, wire::encode(wire::Layout{*layout_}));
}

void ConnectionRegistry::settle_layout() {
  if (!std::ranges::all_of(seats_, [](const Seat& s) { return s.columns && s.link != 0; })) return;
  const auto same = [&](std::size_t i, std::size_t j) { return same_columns(*seats_[i].columns, *seats_[j].columns); };
  if (const auto odd = odd_ones(seats_.size(), same); !odd.empty()) {
    for (const std::size_t i : odd)
      send_away({i}, fmt::format("its columns are not those of the other clients: found {}",
                                 fmt::join(seats_[i].columns->columns, ", ")));
    return;
  }
  std::vector<ColumnFacts> all;
  for (const Seat& seat : seats_) all.push_back(*seat.columns);
  layout_ = union_of(all, names_);
  const Bytes frame = wire::encode(wire::Layout{*layout_});
  setup_bits_ += bits_of(frame) * static_cast<std::int64_t>(seats_.size());
  for (const Seat& seat : seats_) send_to(seat.link, frame);
}

void ConnectionRegistry::got_moments(std::uint32_t client, ColumnMoments moments) {
  if (!(moments.count >= 1) || !std::isfinite(moments.count) || moments.sum.size() != moments.squares.size() ||
      !finite(moments.sum) || !finite(moments.squares))
    return dismiss(client, "its sums for standardisation are not numbers", false);
  Seat& seat = seats_[client];
  if (scaling_) return send_to(seat.link, wire::encode(wire::Scaling{*scaling_}));
  seat.moments = std::move(moments);
  settle_scaling();
}

void ConnectionRegistry::settle_scaling() {
  if (!std::ranges::all_of(seats_, [](const Seat& s) { return s.moments && s.link != 0; })) return;
  const auto same = [&](std::size_t i, std::size_t j) {
    return seats_[i].moments->sum.size() == seats_[j].moments->sum.size();
  };
  if (send_away(odd_ones(seats_.size(), same), "its sums for standardisation are of another number of columns")) return;
  std::vector<ColumnMoments> all;
  for (std::size_t i = 0; i < seats_.size(); ++i) {
    if (!same(0, i)) throw ConfigError("standardize", "found clients with different numbers of columns");
    all.push_back(*seats_[i].moments);
  }
  scaling_ = pooled(all);
  if (!finite(scaling_->mean) || !finite(scaling_->sd))
    throw ConfigError("standardize", "found values too large to standardize, accepted: below 1e150");
  const Bytes frame = wire::encode(wire::Scaling{*scaling_});
  setup_bits_ += bits_of(frame) * static_cast<std::int64_t>(seats_.size());
  for (const Seat& seat : seats_) send_to(seat.link, frame);
}

void ConnectionRegistry::got_site(std::uint32_t client, const SiteFacts& facts) {
  constexpr Index kMostRows = Index{1} << 32, kMostCoefficients = Index{1} << 31;
  if (facts.rows < 1 || facts.rows > kMostRows || facts.features < 1 || facts.features > kMostCoefficients ||
      facts.classes < 2 || facts.classes > kMostCoefficients / facts.features ||
      std::ssize(facts.feature_names) > facts.features || std::ssize(facts.class_names) > facts.classes)
    return dismiss(client, "what it says of its data cannot be", false);
  Seat& seat = seats_[client];
  if (gathered_ && seat.site && !(facts == *seat.site))
    return dismiss(client,
                   fmt::format("its data are not those the run began with ({} rows then, {} now, or other columns)",
                               seat.site->rows, facts.rows),
                   false);
  seat.site = facts;
  if (gathered_) return become_ready(client);
  options_.tell({"ready",
                 fmt::format("{}: {} rows; {} of {} are ready", names_[client], facts.rows, described(), seats_.size()),
                 names_[client]});
}

bool ConnectionRegistry::levels_shown() const {
  if (!layout_) return true;  // these clients share the data of the configuration
  return std::ranges::any_of(layout_->levels, [&](const auto& l) { return !config_.data.levels.contains(l.first); });
}

std::size_t ConnectionRegistry::described() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.site && s.link != 0; }));
}

// Checks that all clients have the same columns and classes.
bool ConnectionRegistry::sites_agree() {
  const auto same = [&](std::size_t i, std::size_t j) {
    const SiteFacts &a = *seats_[i].site, &b = *seats_[j].site;
    return a.features == b.features && a.classes == b.classes && a.feature_names == b.feature_names &&
           a.class_names == b.class_names && a.curvature_is_bound == b.curvature_is_bound;
  };
  return !send_away(odd_ones(seats_.size(), same), "its columns or classes are not those of the other clients");
}

bool ConnectionRegistry::everybody_described() const { return described() == seats_.size(); }

// Reduces the federation, after start_timeout, to the clients that are connected. They connect again under new numbers.
void ConnectionRegistry::start_without_the_missing() {
  std::vector<std::string> here;
  std::vector<std::uint64_t> links;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (seats_[i].link != 0) {
      here.push_back(names_[i]);
      links.push_back(seats_[i].link);
    }
  options_.tell({"reduced", fmt::format("starting without {}", missing()), {}, {}, Notice::Level::warning});
  names_ = here;
  named_ = true;
  seats_.assign(here.size(), {});
  seated_.clear();
  layout_.reset();
  scaling_.reset();
  setup_bits_ = 0;
  for (const std::uint64_t link : links)
    refuse(link, "the federation starts without some of its clients; numbers change", true);
}

void ConnectionRegistry::gather() {
  const auto clients = seats_.size();
  const auto quorum = static_cast<std::size_t>(config_.federation.quorum.value_or(static_cast<Index>(clients)));
  const bool may_reduce = config_.federation.start_timeout.has_value();
  const auto patience = std::chrono::duration_cast<Deadline::duration>(
      std::chrono::duration<double>(config_.federation.start_timeout.value_or(0.0)));
  bool waiting = false;  // true if there is a quorum and only the others are missing,
  Deadline since{};      // since this time
  bool reduced = false;
  options_.tell({"waiting", fmt::format("waiting for {} clients{}{}", clients, named_ ? ": " : "",
                                        named_ ? fmt::format("{}", fmt::join(names_, ", ")) : "")});
  while (!everybody_described() || !sites_agree()) {
    const auto here =
        static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.link != 0; }));
    if (here < quorum || !may_reduce || reduced) {
      waiting = false;
    } else if (!waiting) {
      waiting = true;
      since = now();
    }
    const Deadline until = waiting ? since + patience : now() + std::chrono::seconds(5);
    if (waiting && now() >= until && here < seats_.size()) {
      start_without_the_missing();
      reduced = true;
      continue;
    }
    work(until);
  }
  for (const Seat& seat : seats_) sites_.push_back(*seat.site);
  gathered_ = true;
  messages_.clear();
  for (std::uint32_t i = 0; i < seats_.size(); ++i) seats_[i].ready = true;
}

}  // namespace pollen
