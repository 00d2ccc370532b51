// Set-up of a federation: clients with their own files agree on columns, levels and scaling, and all clients describe
// their part.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/secret.h"
#include "data/column_handshake.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

std::int64_t bits_of(const Bytes& frame) { return 8 * static_cast<std::int64_t>(frame.size() - wire::kFrameHeader); }

// Whether the numbers by which a client standardised fit the columns that it describes.
bool scaling_fits(const SiteFacts& facts) {
  const ColumnScaling& s = facts.scaling;
  const auto fits = [&](const std::vector<double>& mean, const std::vector<double>& sd) {
    const Index count = std::ssize(mean);
    return mean.size() == sd.size() && (count == 0 || count == facts.features || count == facts.features - 1) &&
           unusable_columns({mean, sd}).empty();
  };
  return fits(s.mean, s.sd) && fits(s.raw_mean, s.raw_sd) && (s.target.empty() || s.target.size() == 2) &&
         std::ranges::all_of(s.target, [](double x) { return std::isfinite(x); });
}

}  // namespace

void ConnectionRegistry::seated_frame(std::uint32_t client, LinkEvent event) {
  Bytes& frame = event.frame;
  const wire::Type type = wire::type_of(frame);
  switch (type) {
    case wire::Type::columns:
    case wire::Type::moments:
    case wire::Type::site:
      return setup_frame(client, type, frame);
    case wire::Type::refusal: {
      const auto message = wire::decode<wire::Refusal>(frame);
      warn("declined", fmt::format("{} will not go on: {}", names_[client], message.why), names_[client]);
      const std::uint64_t link = seats_[client].link;
      links_.close(link);
      return lose(link);
    }
    case wire::Type::reply:
    case wire::Type::answer:
    case wire::Type::code_seed:
      if (!seats_[client].ready)
        throw WireError("message: found an answer before set-up is over, accepted: columns, moments or site");
      messages_.push_back({client, false, std::move(frame), event.at});
      return;
    default:
      throw WireError(
          fmt::format("message: found type {}, which a client does not send; accepted: columns, moments, site, "
                      "refusal, reply, answer, code seed",
                      static_cast<int>(type)));
  }
}

// Checks that columns, moments and site arrive once and in this order. Repeating one could make the server answer again
// and again.
void ConnectionRegistry::in_order(std::uint32_t client, wire::Type type) {
  Seat& seat = seats_[client];
  const int place = static_cast<int>(type);
  const bool early = type == wire::Type::moments && (!handshake_.layout || seat.said == 0);
  if (seat.ready || place <= seat.said || early)
    throw WireError(
        fmt::format("message: set-up out of order: found type {} after type {}, accepted: columns, moments "
                    "and site, each once and in this order",
                    place, seat.said));
  seat.said = place;
}

void ConnectionRegistry::send_away(std::size_t client, const std::string& why) {
  dismiss(static_cast<std::uint32_t>(client), why, false);
  seats_[client].site.reset();
}

// Takes what a client says in the handshake about columns. If that settles what they agree on, all are told; a client
// that comes back later is told alone.
template <class Answer, class Said, class Agreed>
void ConnectionRegistry::heard(std::uint32_t client, Said said, const std::optional<Agreed>& agreed) {
  const bool known = agreed.has_value();
  if (const std::string why = handshake_.take(client, std::move(said)); !why.empty())
    return dismiss(client, why, false);
  for (const auto& [odd, why] : handshake_.agree(names_)) send_away(odd, why);
  if (!agreed) return;
  const Bytes frame = wire::encode(Answer{*agreed});
  if (known) return send_to(seats_[client].link, frame);
  setup_bits_ += bits_of(frame) * static_cast<std::int64_t>(seats_.size());
  for (const Seat& seat : seats_) send_to(seat.link, frame);
}

void ConnectionRegistry::setup_frame(std::uint32_t client, wire::Type type, const Bytes& frame) {
  in_order(client, type);
  if (type == wire::Type::site) return got_site(client, wire::decode<wire::Site>(frame).facts);
  if (!gathered_) setup_bits_ += bits_of(frame);
  if (type == wire::Type::columns) {
    ColumnFacts facts = wire::decode<wire::Columns>(frame).facts;
    if (const std::string rough = rough_name(facts); !rough.empty())
      return dismiss(client, fmt::format("its columns or levels have control characters in \"{}\"", rough), false);
    return heard<wire::Layout>(client, std::move(facts), handshake_.layout);
  }
  heard<wire::Scaling>(client, wire::decode<wire::Moments>(frame).moments, handshake_.scaling);
}

std::vector<std::string> ConnectionRegistry::notes() const {
  std::vector<std::string> notes = handshake_.notes(names_);
  for (std::size_t i = 0; i < sites_.size(); ++i)
    if (sites_[i].imputed > 0)
      notes.push_back(fmt::format("client {}: {} missing cell{} took {} column's mean at that client", names_[i],
                                  sites_[i].imputed, sites_[i].imputed == 1 ? "" : "s",
                                  sites_[i].imputed == 1 ? "its" : "their"));
  return notes;
}

void ConnectionRegistry::got_site(std::uint32_t client, const SiteFacts& facts) {
  constexpr Index kMostRows = Index{1} << 32, kMostCoefficients = Index{1} << 31;
  if (facts.rows < 1 || facts.rows > kMostRows || facts.features < 1 || facts.features > kMostCoefficients ||
      facts.classes < 2 || facts.classes > kMostCoefficients / facts.features || facts.imputed < 0 ||
      std::ssize(facts.feature_names) > facts.features || std::ssize(facts.class_names) > facts.classes)
    return dismiss(
        client,
        fmt::format("found {} rows, {} features with {} names and {} classes with {} names; accepted: 1 to {} "
                    "rows, at least 1 feature and 2 classes, at most {} coefficients, no more names than these",
                    facts.rows, facts.features, facts.feature_names.size(), facts.classes, facts.class_names.size(),
                    kMostRows, kMostCoefficients),
        false);
  if (!scaling_fits(facts))
    return dismiss(client,
                   fmt::format("found {} means and {} scales of {} features; accepted: none or one per feature besides "
                               "the intercept, finite, scales above 0",
                               facts.scaling.mean.size(), facts.scaling.sd.size(), facts.features),
                   false);
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
  if (!handshake_.layout) return true;  // these clients share the data of the configuration
  return std::ranges::any_of(handshake_.layout->levels,
                             [&](const auto& l) { return !config_.data.levels.contains(l.first); });
}

std::size_t ConnectionRegistry::described() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.site && s.link != 0; }));
}

// Checks that all clients have the same columns and classes.
bool ConnectionRegistry::sites_agree() {
  const auto same = [&](std::size_t i, std::size_t j) { return same_columns(*seats_[i].site, *seats_[j].site); };
  std::size_t like = 0;
  const std::vector<std::size_t> odd = odd_clients(seats_.size(), same, like);
  for (const std::size_t i : odd) {
    const SiteFacts &found = *seats_[i].site, &accepted = *seats_[like].site;
    send_away(i, fmt::format("its columns or classes are not those of the other clients: found {} features and {} "
                             "classes, accepted: {} and {} with the same names",
                             found.features, found.classes, accepted.features, accepted.classes));
  }
  return odd.empty();
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
  warn("reduced", fmt::format("starting without {}", missing()));
  names_ = here;
  named_ = true;
  make_seats(here.size());
  seated_.clear();
  setup_bits_ = 0;
  run_ = secret_name();  // for what is settled anew; clients keep to what was settled in a run
  for (const std::uint64_t link : links)
    refuse(link, "the federation starts without some of its clients; numbers change", true);
}

void ConnectionRegistry::gather() {
  const auto clients = seats_.size();
  const auto quorum = static_cast<std::size_t>(config_.federation.quorum.value_or(static_cast<Index>(clients)));
  bool may_reduce = config_.federation.start_timeout.has_value();
  const auto patience = std::chrono::duration_cast<Deadline::duration>(
      std::chrono::duration<double>(config_.federation.start_timeout.value_or(0.0)));
  Deadline limit = Deadline::max();  // for those that are missing, while there is a quorum
  options_.tell({"waiting", fmt::format("waiting for {} clients{}{}", clients, named_ ? ": " : "",
                                        named_ ? fmt::format("{}", fmt::join(names_, ", ")) : "")});
  while (!everybody_described() || !sites_agree()) {
    if (here() < quorum || !may_reduce)
      limit = Deadline::max();
    else if (limit == Deadline::max())
      limit = now() + patience;
    if (now() >= limit && here() < seats_.size()) {
      start_without_the_missing();
      may_reduce = false;
      continue;
    }
    work(std::min(limit, now() + std::chrono::seconds(5)));
  }
  for (const Seat& seat : seats_) sites_.push_back(*seat.site);
  gathered_ = true;
  messages_.clear();
  for (std::uint32_t i = 0; i < seats_.size(); ++i) seats_[i].ready = true;
}

}  // namespace pollen
