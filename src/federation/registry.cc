// Connections, names and seats of the clients. Set-up is in registry_setup.cc.
#include <fmt/format.h>

#include <algorithm>

#include "base/secret.h"
#include "data/store.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

constexpr auto kHelloWithin = std::chrono::seconds(20);
constexpr std::size_t kMostStrangers = 4096;

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

// Writes a configuration without file names for comparison, because two sides may keep their files in different places.
std::string comparable(Config config) {
  config.data.sources.clear();
  clear_paths(config.data);
  config.federation = {};
  config.network_time = {};
  return to_toml(config);
}

}  // namespace

ConnectionRegistry::ConnectionRegistry(Links& links, const Config& config, RegistryOptions options)
    : links_(links), config_(config), config_text_(to_toml(config)), options_(std::move(options)), run_(secret_name()) {
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
      if (strangers_.size() >= kMostStrangers) return links_.close(event.link);
      strangers_.push_back({event.link, std::move(event.peer), now() + kHelloWithin});
      return;
    case LinkEvent::What::closed:
      return lose(event.link);
    case LinkEvent::What::frame:
      break;
  }
  try {
    if (stranger != strangers_.end()) {
      const std::string peer = stranger->peer;
      strangers_.erase(stranger);
      return admit(event.link, peer, wire::decode<wire::Hello>(event.frame));
    }
    // Once the run is over, nobody reads what clients still say.
    if (const auto seat = seated_.find(event.link); seat != seated_.end() && !over_)
      return seated_frame(seat->second, std::move(event.frame));
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
    warn("gone", fmt::format("{} has gone; {} of {} here", names_[client], present(), seats_.size()), names_[client]);
}

void ConnectionRegistry::drop_silent_links() {
  std::erase_if(strangers_, [&](const Stranger& s) {
    if (now() < s.until) return false;
    links_.close(s.link);
    return true;
  });
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

// Returns the seat that a client has or may take, or nothing if there is none for it.
std::optional<std::uint32_t> ConnectionRegistry::seat_for(const std::string& name, const wire::Hello& hello) const {
  const auto known = std::ranges::find(names_, name);
  const auto b = static_cast<std::int64_t>(names_.size());
  if (known != names_.end()) {
    const auto index = static_cast<std::uint32_t>(known - names_.begin());
    if (hello.part >= 0 && hello.part != index) return std::nullopt;
    return index;
  }
  if (named_ || gathered_) return std::nullopt;
  if (hello.part >= 0) {
    const bool free = hello.part < b && names_[static_cast<std::size_t>(hello.part)].empty();
    return free ? std::optional(static_cast<std::uint32_t>(hello.part)) : std::nullopt;
  }
  const auto free = std::ranges::find(names_, "");
  if (free == names_.end()) return std::nullopt;
  return static_cast<std::uint32_t>(free - names_.begin());
}

std::string ConnectionRegistry::refusal_of(const std::string& name, const wire::Hello& hello) const {
  if (hello.protocol != wire::kProtocol)
    return fmt::format("it speaks protocol {} (pollen {}), this server {} (pollen {})", hello.protocol, hello.version,
                       wire::kProtocol, options_.version);
  if (name.empty() || name.size() > 200 || !is_plain(name))
    return fmt::format("found the name \"{}\", accepted: 1 to 200 plain characters, from a certificate or --name",
                       plain(name));
  if (hello.shared_seed != options_.shared_seed)
    return fmt::format("--shared-seed is {} on the server and {} on the client; it must be the same on both",
                       options_.shared_seed ? "given" : "not given", hello.shared_seed ? "given" : "not given");
  if (hello.part >= 0) {
    const std::string theirs = comparable(read_config_text(hello.config, "the client's configuration"));
    if (const auto other = first_difference(comparable(config_), theirs))
      return fmt::format("it has another configuration: {} is {} on the server and {} on the client", other->key,
                         other->left, other->right);
  }
  const auto seat = seat_for(name, hello);
  if (!seat && gathered_) return fmt::format("the run began without a client named {}", name);
  if (!seat && named_ && std::ranges::count(names_, name) == 0)
    return fmt::format("no client named {} is expected (federation.expect: {})", name, fmt::join(names_, ", "));
  if (!seat && hello.part >= 0)
    return fmt::format("--client {} is not free or not among the {} clients", hello.part, names_.size());
  if (!seat) return fmt::format("all {} places are taken", names_.size());
  if (seats_[*seat].link != 0 && seats_[*seat].instance != hello.instance)
    return fmt::format("a client named {} is connected already", name);
  if (rounds_ && stateful_ && hello.run != run_)
    return fmt::format(
        "{} comes without its state of this run, which this sampler needs; start it with the --state "
        "folder it began with",
        name);
  return {};
}

void ConnectionRegistry::admit(std::uint64_t link, const std::string& peer, const wire::Hello& hello) {
  const std::string name = peer.empty() ? hello.name : peer;
  if (over_) return tell_latecomer(link, name);
  std::string why;
  try {
    why = refusal_of(name, hello);
  } catch (const ConfigError& error) {
    why = error.what();
  }
  if (!why.empty()) {
    warn("refused", fmt::format("refused {}: {}", name.empty() ? "a client without a name" : name, why), name);
    return refuse(link, why, why.ends_with("connected already"));
  }
  const std::uint32_t index = *seat_for(name, hello);
  Seat& seat = seats_[index];
  if (seat.link != 0) {  // the same client again, so its old connection is dead even if that was not noticed
    const std::uint64_t old = seat.link;
    lose(old);
    links_.close(old);
  }
  names_[index] = name;
  seat.link = link;
  seated_[link] = index;
  seat.instance = hello.instance;
  seat.said = 0;
  send_to(link, wire::encode(wire::Welcome{index, static_cast<std::uint32_t>(seats_.size()), run_, config_text_}));
  if (hello.ready && hello.run == run_ && seat.site) return become_ready(index);
  if (gathered_) return;
  seat.site.reset();  // it will send this again
  options_.tell({"here",
                 fmt::format("{} is here{}", name, missing().empty() ? "" : fmt::format("; missing: {}", missing())),
                 name});
}

std::vector<std::string> ConnectionRegistry::absent() const {
  std::vector<std::string> list;
  for (std::size_t i = 0; i < seats_.size(); ++i)
    if (seats_[i].link == 0) list.push_back(names_[i]);
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
        {"back", fmt::format("{} is back; {} of {} here", names_[client], present(), seats_.size()), names_[client]});
}

void ConnectionRegistry::send(std::uint32_t client, std::span<const Frame> frames) {
  if (seats_[client].link != 0) links_.send_all(seats_[client].link, frames);
}

}  // namespace pollen
