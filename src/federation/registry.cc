// The connections of the clients: what arrives, who is here, and who is sent away. Who is let in is decided in
// registry_admission.cc; set-up is in registry_setup.cc.
#include <fmt/format.h>

#include <algorithm>

#include "base/secret.h"
#include "data/store.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

Index expected_clients(const Config& config) {
  const FederationConfig& f = config.federation;
  if (!f.expect.empty()) return std::ssize(f.expect);
  if (f.expect_count) return *f.expect_count;
  if (config.model.kind == "gaussian" && !config.clients.empty()) return std::ssize(config.clients);
  if (is_store(config.data)) return store_facts(config.data.sources.front()).clients;
  if (config.data.partition == "given" && !config.data.sources.empty()) return std::ssize(config.data.sources);
  if (config.data.partition == "by-column" || config.data.partition == "by-writer")
    throw ConfigError(config.file + ": federation.expect",
                      fmt::format("needed with data.partition = \"{}\": a number of clients, or a list of their names",
                                  config.data.partition));
  return *with_defaults(config.data).clients;
}

}  // namespace

ConnectionRegistry::ConnectionRegistry(Links& links, const Config& config, RegistryOptions options)
    : links_(links),
      config_(config),
      config_text_(to_toml(config)),
      comparable_(comparable(config)),
      options_(std::move(options)),
      run_(secret_name()) {
  const auto clients = static_cast<std::size_t>(expected_clients(config));
  make_seats(clients);
  options_.tell = in_plain_words(std::move(options_.tell));
  named_ = !config.federation.expect.empty();
  names_ = config.federation.expect;
  names_.resize(clients);
  if (config.federation.quorum && *config.federation.quorum > static_cast<Index>(clients))
    throw ConfigError(
        config.file + ": federation.quorum",
        fmt::format("found {}, accepted: at most the {} clients expected", *config.federation.quorum, clients));
}

std::size_t ConnectionRegistry::present() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.ready; }));
}

std::size_t ConnectionRegistry::here() const {
  return static_cast<std::size_t>(std::ranges::count_if(seats_, [](const Seat& s) { return s.link != 0; }));
}

void ConnectionRegistry::warn(const char* event, const std::string& text, const std::string& client) const {
  options_.tell({event, text, client, {}, Notice::Level::warning});
}

bool ConnectionRegistry::stopped() const {
  return options_.stop != nullptr && options_.stop->load(std::memory_order_relaxed);
}

bool ConnectionRegistry::work(Deadline until) {
  if (stopped()) throw Interrupted();
  const bool any = look(until);
  options_.looked();
  return any;
}

bool ConnectionRegistry::look(Deadline until) {
  drop_silent_links();
  // A signal does not interrupt the wait, so the flag is checked at least every 200 ms.
  auto event = links_.next(std::min(until, now() + std::chrono::milliseconds(200)));
  if (!event) return false;
  take(std::move(*event));
  return true;
}

std::optional<ConnectionRegistry::Message> ConnectionRegistry::next(Deadline until) {
  while (messages_.empty())
    if (!work(until) && now() >= until) return std::nullopt;
  Message incoming = std::move(messages_.front());
  messages_.pop_front();
  return incoming;
}

void ConnectionRegistry::take(LinkEvent event) {
  const auto stranger = std::ranges::find(strangers_, event.link, &Stranger::link);
  switch (event.what) {
    case LinkEvent::What::opened:
      return greet(std::move(event));
    case LinkEvent::What::closed:
      return lose(event.link);
    case LinkEvent::What::frame:
      break;
  }
  try {
    if (stranger != strangers_.end()) {
      const Stranger who = *stranger;
      strangers_.erase(stranger);
      return admit(who, wire::decode<wire::Hello>(event.frame));
    }
    // Once the run is over, nobody reads what clients still say.
    if (const auto seat = seated_.find(event.link); seat != seated_.end() && !over_)
      return seated_frame(seat->second, std::move(event));
  } catch (const WireError& error) {
    unreadable(event.link, fmt::format("what was sent cannot be read ({})", error.what()));
  }
}

void ConnectionRegistry::unreadable(std::uint64_t link, const std::string& why) {
  if (const auto seat = seated_.find(link); seat != seated_.end()) return dismiss(seat->second, why, false);
  warn("refused", fmt::format("refused a connection: {}", why));
  refuse(link, why, false);
}

void ConnectionRegistry::lose(std::uint64_t link) {
  std::erase_if(strangers_, [&](const Stranger& s) { return s.link == link; });
  const auto seated = seated_.find(link);
  if (seated == seated_.end()) return;
  const std::uint32_t client = seated->second;
  seated_.erase(seated);
  if (seats_[client].link != link) return;  // the client has a newer connection
  seats_[client].link = 0;
  seats_[client].ready = false;
  handshake_.forget(client);
  if (!over_)
    warn("gone", fmt::format("{} has gone; {} of {} here", names_[client], here(), seats_.size()), names_[client]);
}

// Looks at the oldest alone, which come first, because there may be thousands.
void ConnectionRegistry::drop_silent_links() {
  const Deadline time = now();
  const auto alive = std::ranges::find_if(strangers_, [&](const Stranger& s) { return time < s.until; });
  for (auto silent = strangers_.begin(); silent != alive; ++silent) links_.close(silent->link);
  strangers_.erase(strangers_.begin(), alive);
}

void ConnectionRegistry::refuse(std::uint64_t link, const std::string& why, bool again) {
  send_to(link, wire::encode(wire::Refusal{why, again}));
  links_.close(link);
}

void ConnectionRegistry::dismiss(std::uint32_t client, const std::string& why, bool again) {
  warn("dismissed", fmt::format("{} is sent away: {}", names_[client], why), names_[client]);
  const std::uint64_t link = seats_[client].link;
  if (link == 0) return;
  refuse(link, why, again);
  lose(link);
}

void ConnectionRegistry::expel() {
  for (std::uint32_t i = 0; i < seats_.size(); ++i) {
    const std::string why = options_.barred(names_[i], seats_[i].serial);
    if (why.empty()) continue;
    seats_[i].barred = true;
    seats_[i].told = seats_[i].told || seats_[i].link != 0;
    if (seats_[i].link != 0) dismiss(i, why, false);
  }
  std::erase_if(strangers_, [&](const Stranger& s) {
    const std::string why = options_.barred(s.peer, s.serial);
    if (!why.empty()) refuse(s.link, why, false);
    return !why.empty();
  });
}

std::vector<std::string> ConnectionRegistry::absent() const {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (seats_[i].link == 0) list.push_back(names_[i]);
  return list;
}

std::vector<std::string> ConnectionRegistry::untold() const {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (seats_[i].link == 0 && !seats_[i].told) list.push_back(names_[i]);
  return list;
}

std::string ConnectionRegistry::missing() const {
  std::vector<std::string> list = absent();
  const auto nameless = std::erase(list, "");
  if (nameless > 0) list.push_back(fmt::format("{}{}", nameless, list.empty() ? "" : " more"));
  return fmt::format("{}", fmt::join(list, ", "));
}

void ConnectionRegistry::become_ready(std::uint32_t client) {
  seats_[client].ready = true;
  messages_.push_back({client, true, {}});
  if (gathered_)
    options_.tell(
        {"back", fmt::format("{} is back; {} of {} here", names_[client], here(), seats_.size()), names_[client]});
}

void ConnectionRegistry::send(std::uint32_t client, std::span<const Frame> frames) {
  if (seats_[client].link != 0) links_.send_all(seats_[client].link, frames);
}

}  // namespace pollen
