// Who is let in: names, certificates and seats of the clients, from the opening of a connection to its hello.
#include <fmt/format.h>

#include <algorithm>

#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

constexpr auto kHelloWithin = std::chrono::seconds(20);
constexpr std::size_t kMostStrangers = 4096;  // connections that have not said hello
constexpr Index kMostOfOneName = 4;           // the same for one certificate's name

}  // namespace

// Writes a configuration without file names for comparison, because two sides may keep their files in different places.
std::string ConnectionRegistry::comparable(Config config) {
  config.data = with_defaults(config.data);  // some defaults depend on the source
  config.data.sources.clear();
  for (std::string* path : named_files(config.data)) path->clear();
  config.federation = {};
  config.network_time = {};
  return to_toml(config);
}

// Decides by the certificate, before anything is read, whether a connection may say hello.
void ConnectionRegistry::greet(LinkEvent event) {
  if (!event.unfit.empty()) return turn_away(event.link, {}, event.unfit);
  if (!event.peer.empty()) {
    std::string why = unexpected(event.peer);
    if (why.empty()) why = other_certificate(event.peer, event.fingerprint);
    if (!why.empty()) return turn_away(event.link, event.peer, why);
  }
  if (const std::string why = bar(event.peer, event.serial); !why.empty())
    return turn_away(event.link, event.peer, why);
  const auto same = [&](const Stranger& s) { return s.peer == event.peer; };
  const bool crowd = !event.peer.empty() && std::ranges::count_if(strangers_, same) >= kMostOfOneName;
  if (crowd || strangers_.size() >= kMostStrangers) return links_.close(event.link);
  strangers_.push_back(
      {event.link, std::move(event.peer), std::move(event.serial), std::move(event.fingerprint), now() + kHelloWithin});
}

// Refuses a connection that has no seat.
void ConnectionRegistry::turn_away(std::uint64_t link, const std::string& name, const std::string& why) {
  const std::string expected = named_ && !name.empty() && std::ranges::count(names_, name) == 0
                                   ? fmt::format(" (federation.expect: {})", fmt::join(names_, ", "))
                                   : "";
  const std::string text =
      fmt::format("refused {}: {}{}", name.empty() ? "a client without a name" : name, why, expected);
  if (!said_lately(text)) warn("refused", text, name);
  refuse(link, why, why.ends_with("connected already"));
}

// Whether this was said within the last minute, so that whoever comes back again and again does not fill the log.
bool ConnectionRegistry::said_lately(const std::string& text) {
  constexpr std::size_t kMost = 1000;
  std::erase_if(said_, [&](const auto& one) { return one.second < now(); });
  if (said_.size() >= kMost || said_.contains(text)) return true;
  said_[text] = now() + std::chrono::minutes(1);
  return false;
}

// Says why a client is barred, or nothing, and takes note of it. Whoever holds a certificate that was revoked does not
// speak for a client that has come with another one.
std::string ConnectionRegistry::bar(const std::string& name, const std::string& serial) {
  std::string why = options_.barred(name, serial);
  const auto known = std::ranges::find(names_, name);
  if (why.empty() || name.empty() || known == names_.end()) return why;
  Seat& seat = seats_[static_cast<std::size_t>(known - names_.begin())];
  if (seat.link == 0 && (seat.serial.empty() || seat.serial == serial)) seat.barred = seat.told = true;
  return why;
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

// Says why no client of this name may join, or nothing.
std::string ConnectionRegistry::unexpected(const std::string& name) const {
  if (std::ranges::count(names_, name) > 0) return {};
  if (over_) return "the run is over";
  if (gathered_) return fmt::format("the run began without a client named {}", plain(name));
  return named_ ? fmt::format("no client named {} is expected", plain(name)) : std::string();
}

// Says why a certificate is not the one that the study names for this client, or nothing.
std::string ConnectionRegistry::other_certificate(const std::string& name, const std::string& fingerprint) const {
  const FederationConfig& f = config_.federation;
  const auto at = std::ranges::find(f.expect, name);
  if (f.fingerprints.empty() || at == f.expect.end()) return {};
  if (f.fingerprints[static_cast<std::size_t>(at - f.expect.begin())] == fingerprint) return {};
  return "its certificate is not the one that the study names for it (federation.fingerprints)";
}

// Says why a client is refused, or nothing. The client is sent this text, so it holds nothing about other clients, and
// nothing about the configuration unless the client's name is expected.
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
  if (std::string why = unexpected(name); !why.empty()) return why;
  const auto seat = seat_for(name, hello);
  if (!seat && hello.part >= 0)
    return fmt::format("--client {} is not free or not among the {} clients", hello.part, names_.size());
  if (!seat) return fmt::format("all {} places are taken", names_.size());
  if (hello.part >= 0) {
    const std::string theirs = comparable(read_config_text(hello.config, "the client's configuration"));
    if (const auto other = first_difference(comparable_, theirs))
      return fmt::format("it has another configuration: {} is {} on the server and {} on the client", other->key,
                         other->left, other->right);
  }
  if (seats_[*seat].link != 0 && seats_[*seat].instance != hello.instance)
    return fmt::format("a client named {} is connected already", name);
  if (rounds_ && stateful_ && hello.run != run_)
    return fmt::format(
        "{} comes without its state of this run, which this sampler needs; start it with the --state "
        "folder it began with",
        name);
  return {};
}

void ConnectionRegistry::admit(const Stranger& stranger, const wire::Hello& hello) {
  const std::uint64_t link = stranger.link;
  const std::string name = stranger.peer.empty() ? hello.name : stranger.peer;
  if (over_) return tell_latecomer(link, name);
  std::string why = bar(name, stranger.serial);
  if (why.empty()) why = other_certificate(name, stranger.fingerprint);
  try {
    if (why.empty()) why = refusal_of(name, hello);
  } catch (const ConfigError& error) {
    why = error.what();
  }
  if (!why.empty()) return turn_away(link, name, why);
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
  seat.serial = stranger.serial;
  seat.barred = seat.told = false;
  seat.said = 0;
  send_to(link, wire::encode(wire::Welcome{index, static_cast<std::uint32_t>(seats_.size()), run_, config_text_}));
  if (hello.ready && hello.run == run_ && seat.site) return become_ready(index);
  if (gathered_) return;
  seat.site.reset();  // it will send this again
  options_.tell({"here",
                 fmt::format("{} is here{}", name, missing().empty() ? "" : fmt::format("; missing: {}", missing())),
                 name});
}

}  // namespace pollen
