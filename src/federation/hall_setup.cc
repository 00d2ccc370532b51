// Set-up: clients with files of their own agree on columns, levels and scaling; all say what their part looks like.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pollen/errors.h"
#include "pollen/federation.h"

namespace pollen {

namespace {

std::int64_t bits_of(const Bytes& frame) { return 8 * static_cast<std::int64_t>(frame.size() - wire::kFrameHeader); }

bool covers(const ColumnFacts& layout, const ColumnFacts& facts) {
  if (facts.target != layout.target || facts.width != layout.width) return false;
  for (const auto& [name, levels] : facts.levels) {
    const auto known = layout.levels.find(name);
    if (known == layout.levels.end()) return false;
    for (const std::string& level : levels)
      if (std::ranges::count(known->second, level) == 0) return false;
  }
  return std::ranges::is_permutation(facts.columns, layout.columns);
}

bool finite(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double x) { return std::isfinite(x); });
}

}  // namespace

void Hall::seated_frame(std::uint32_t client, Bytes frame) {
  switch (wire::type_of(frame)) {
    case wire::Type::columns:
      if (!gathered_) setup_bits_ += bits_of(frame);
      return got_columns(client, wire::decode<wire::Columns>(frame).facts);
    case wire::Type::moments:
      if (!gathered_) setup_bits_ += bits_of(frame);
      return got_moments(client, wire::decode<wire::Moments>(frame).moments);
    case wire::Type::site:
      return got_site(client, wire::decode<wire::Site>(frame).facts);
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
      letters_.push_back({client, false, std::move(frame)});
      return;
    default:
      throw WireError("message: not one a client sends");
  }
}

void Hall::got_columns(std::uint32_t client, const ColumnFacts& facts) {
  Seat& seat = seats_[client];
  if (!layout_) {
    seat.columns = facts;
    return settle_layout();
  }
  if (!covers(*layout_, facts)) return dismiss(client, "its columns or levels are not those the run began with", false);
  send_to(seat.link, wire::encode(wire::Layout{*layout_}));
}

void Hall::settle_layout() {
  if (!std::ranges::all_of(seats_, [](const Seat& s) { return s.columns && s.link != 0; })) return;
  std::vector<ColumnFacts> all;
  for (const Seat& seat : seats_) all.push_back(*seat.columns);
  layout_ = union_of(all, names_);
  const Bytes frame = wire::encode(wire::Layout{*layout_});
  setup_bits_ += bits_of(frame) * static_cast<std::int64_t>(seats_.size());
  for (const Seat& seat : seats_) send_to(seat.link, frame);
}

void Hall::got_moments(std::uint32_t client, ColumnMoments moments) {
  if (!(moments.count >= 1) || !std::isfinite(moments.count) || moments.sum.size() != moments.squares.size() ||
      !finite(moments.sum) || !finite(moments.squares))
    return dismiss(client, "its sums for standardisation are not numbers", false);
  Seat& seat = seats_[client];
  if (scaling_) return send_to(seat.link, wire::encode(wire::Scaling{*scaling_}));
  seat.moments = std::move(moments);
  settle_scaling();
}

void Hall::settle_scaling() {
  if (!std::ranges::all_of(seats_, [](const Seat& s) { return s.moments && s.link != 0; })) return;
  std::vector<ColumnMoments> all;
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    if (seats_[i].moments->sum.size() != seats_[0].moments->sum.size())
      return dismiss(i, "its sums for standardisation are of another number of columns", false);
    all.push_back(*seats_[i].moments);
  }
  scaling_ = pooled(all);
  if (!finite(scaling_->mean) || !finite(scaling_->sd))
    throw ConfigError("standardize", "found values too large to standardize, accepted: below 1e150");
  const Bytes frame = wire::encode(wire::Scaling{*scaling_});
  setup_bits_ += bits_of(frame) * static_cast<std::int64_t>(seats_.size());
  for (const Seat& seat : seats_) send_to(seat.link, frame);
}

void Hall::got_site(std::uint32_t client, const SiteFacts& facts) {
  constexpr Index kMost = Index{1} << 40;
  if (facts.rows < 1 || facts.rows > kMost || facts.features < 1 || facts.features > kMost || facts.classes < 2 ||
      facts.classes > kMost || std::ssize(facts.feature_names) > facts.features)
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

std::size_t Hall::described() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.site && s.link != 0; }));
}

bool Hall::everybody_described() const { return described() == seats_.size(); }

// After start_timeout the federation is those who are here; they come again under their new numbers.
void Hall::start_without_the_missing() {
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
  layout_.reset();
  scaling_.reset();
  setup_bits_ = 0;
  for (const std::uint64_t link : links)
    refuse(link, "the federation starts without some of its clients; numbers change", true);
}

void Hall::gather() {
  const auto clients = seats_.size();
  const auto quorum = static_cast<std::size_t>(config_.federation.quorum.value_or(static_cast<Index>(clients)));
  std::optional<Deadline> since;  // there has been a quorum
  bool reduced = false;
  options_.tell({"waiting", fmt::format("waiting for {} clients{}{}", clients, named_ ? ": " : "",
                                        named_ ? fmt::format("{}", fmt::join(names_, ", ")) : "")});
  while (!everybody_described()) {
    const auto here =
        static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.link != 0; }));
    if (here < quorum || !config_.federation.start_timeout || reduced)
      since.reset();
    else if (!since)
      since = std::chrono::steady_clock::now();
    Deadline until = std::chrono::steady_clock::now() + std::chrono::seconds(5);
    if (since)
      until = *since + std::chrono::duration_cast<Deadline::duration>(
                           std::chrono::duration<double>(*config_.federation.start_timeout));
    if (since && std::chrono::steady_clock::now() >= until && here < seats_.size()) {
      start_without_the_missing();
      reduced = true;
      continue;
    }
    work(until);
  }
  for (const Seat& seat : seats_) sites_.push_back(*seat.site);
  gathered_ = true;
  letters_.clear();
  for (std::uint32_t i = 0; i < seats_.size(); ++i) seats_[i].ready = true;
}

}  // namespace pollen
