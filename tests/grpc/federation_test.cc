// A federation over real connections with both ends in one process, where the thread sanitizer can watch them. It has
// the draws and counts of a simulation, also if a client is cut off in the middle and comes back.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <thread>

#include "federation/world.h"
#include "grpc/wires.h"
#include "keys/holder.h"
#include "pollen/errors.h"
#include "support/federated.h"

namespace pollen {
namespace {

constexpr std::size_t kClients = 3;
const Overrides kKeys = {"data.clients=3", "run.iterations=15", "sampler.name=qlsd++"};

// Keys for a server on this machine and its clients. The files disappear with the object.
class Keys {
 public:
  Keys() {
    std::string name = ::testing::TempDir() + "pollen-grpc-XXXXXX";
    folder_ = ::mkdtemp(name.data());
    const std::vector<std::string> clients = {"c0", "c1", "c2"};
    issued_ = make_keys({.folder = folder_, .server = "localhost", .addresses = {"127.0.0.1"}, .clients = clients});
  }
  ~Keys() { std::filesystem::remove_all(folder_); }
  Keys(const Keys&) = delete;
  Keys& operator=(const Keys&) = delete;

  TlsTexts of(const std::string& name) const {
    const IssuedKey& key = *std::ranges::find(issued_, name, &IssuedKey::name);
    return {read_certificate(folder_ + "/ca.pem").pem, read_certificate(key.certificate_path).pem,
            read_key_file(key.key_path)};
  }

 private:
  std::string folder_;
  std::vector<IssuedKey> issued_;
};

// A client on a thread of its own.
struct Site {
  ParticipantOptions options;
  std::optional<TlsTexts> tls;
  std::int64_t cut = 0;  // if above 0, the first connection breaks once so many turns are answered
  int connections = 0;
  std::string ended;

  void take_part(const std::string& address) {
    Participant participant(options);
    while (connections < 5 && (!participant.ended() || participant.ended()->again)) {
      participant.forget_ending();
      ++connections;
      WireClient wire(address, tls, nullptr);
      if (!wire.connect(30) || !wire.write(participant.hello())) throw std::runtime_error(wire.why());
      const auto send = [&](const Bytes& frame) { wire.write(frame); };
      Bytes frame;
      while (!participant.ended() && wire.read(frame, participant.most_bytes())) {
        if (connections == 1 && cut > 0 && participant.turns() == cut) break;  // this frame is lost
        participant.handle(frame, send);
      }
    }
    ended = participant.ended() ? participant.ended()->why : "it was disconnected too often";
  }
};

// Runs the server in this thread. A client that fails stops it through `failed`.
testing::Outcome serve(Links& links, const Config& config, const std::atomic<bool>& failed) {
  ConnectionRegistry registry(links, config, {.shared_seed = true, .stop = &failed});
  registry.gather();
  ExperimentOptions options;
  options.sites = registry.sites();
  options.transport = [&](ClientView& view, Clients&) {
    return make_remote_transport(registry, view, {.federation = config.federation});
  };
  Experiment experiment(config, options);
  experiment.prepare();
  testing::Collect collect;
  experiment.advance(config.run.iterations, collect);
  registry.end({true, "done"});
  return {std::move(collect.draws), experiment.counters(), {}, {}};
}

class GrpcFederation : public ::testing::Test {
 protected:
  GrpcFederation() : sites_(kClients) {
    for (std::size_t i = 0; i < kClients; ++i) {
      ParticipantOptions& options = sites_[i].options;
      options.name = fmt::format("c{}", i);
      options.config = config_;
      options.part = static_cast<std::int64_t>(i);
      options.shared_seed = true;
    }
  }

  testing::Outcome run(const std::optional<TlsTexts>& tls) {
    const auto wires = listen_at("127.0.0.1:0", tls);
    const std::string address = fmt::format("127.0.0.1:{}", wires->port());
    std::atomic<bool> failed = false;
    std::vector<std::jthread> threads;
    for (Site& site : sites_)
      threads.emplace_back([&] {
        try {
          site.take_part(address);
        } catch (const std::exception& error) {
          site.ended = error.what();
        }
        failed = failed || site.ended != "done";
      });
    const testing::Outcome outcome = serve(wires->links(), config_, failed);
    threads.clear();
    return outcome;
  }

  void expect_the_simulation(const testing::Outcome& federated) const {
    Overrides keys = kKeys;
    keys.insert(keys.end(), {"run.coupled=true", "output.lp=false"});
    const testing::Outcome alone = testing::sample(kFederated, keys);
    EXPECT_EQ(federated.draws, alone.draws);
    EXPECT_EQ(federated.counters.uplink_bits, alone.counters.uplink_bits);
    EXPECT_EQ(federated.counters.downlink_bits, alone.counters.downlink_bits);
    EXPECT_EQ(federated.counters.gradients, alone.counters.gradients);
    EXPECT_EQ(federated.counters.messages, alone.counters.messages);
    for (const Site& site : sites_) EXPECT_EQ(site.ended, "done");
  }

  const Config config_ = testing::federated_config(kFederated, kKeys);
  std::vector<Site> sites_;
};

TEST_F(GrpcFederation, DrawsAreThoseOfTheSimulation) {
  expect_the_simulation(run({}));
  for (const Site& site : sites_) EXPECT_EQ(site.connections, 1);
}

TEST_F(GrpcFederation, ClientsThatAreCutOffComeBack) {
  sites_[0].cut = 3;
  sites_[2].cut = 7;
  expect_the_simulation(run({}));
  EXPECT_EQ(sites_[0].connections, 2);
  EXPECT_EQ(sites_[1].connections, 1);
  EXPECT_EQ(sites_[2].connections, 2);
}

TEST_F(GrpcFederation, UnderTlsToo) {
  const Keys keys;
  for (Site& site : sites_) site.tls = keys.of(std::exchange(site.options.name, {}));
  sites_[1].cut = 5;
  expect_the_simulation(run(keys.of("localhost")));
  EXPECT_EQ(sites_[1].connections, 2);
}

// Passes everything on and counts what strangers have said.
class Overheard final : public Links {
 public:
  explicit Overheard(Links& links) : links_(links) {}
  std::optional<LinkEvent> next(Deadline until) override {
    auto event = links_.next(until);
    if (event && event->what == LinkEvent::What::frame) ++frames;
    if (event && event->what == LinkEvent::What::closed) closed = true;
    return event;
  }
  void send(std::uint64_t link, Frame frame) override { links_.send(link, std::move(frame)); }
  void close(std::uint64_t link) override { links_.close(link); }
  void limit_frames(std::size_t bytes) override { links_.limit_frames(bytes); }

  int frames = 0;
  std::atomic<bool> closed = false;

 private:
  Links& links_;
};

// What a server that expects c0, c1 and c2 does with a client that shows this certificate and says it is c1.
struct Stranger {
  std::string told;  // what it is told
  int frames = 0;    // how much of what it says is read
};

Stranger try_with(const TlsTexts& server, const TlsTexts& client, const Overrides& more = {}) {
  const auto wires = listen_at("127.0.0.1:0", server);
  Overheard links(wires->links());
  Stranger out;
  std::jthread stranger([&] {
    WireClient wire(fmt::format("127.0.0.1:{}", wires->port()), client, nullptr);
    if (!wire.connect(30)) return;
    wire.write(wire::encode(wire::Hello{.name = "c1"}));
    Bytes frame;
    if (!wire.read(frame, 10'000)) return;
    out.told = wire::type_of(frame) == wire::Type::refusal ? wire::decode<wire::Refusal>(frame).why : "welcome";
  });
  Overrides keys = {"data.clients=3", "sampler.name=qlsd", "federation.expect=[\"c0\", \"c1\", \"c2\"]"};
  keys.insert(keys.end(), more.begin(), more.end());
  const Config config = testing::federated_config(kFederated, keys);
  ConnectionRegistry registry(links, config, {.stop = &links.closed});
  EXPECT_THROW(registry.gather(), Interrupted);
  stranger.join();
  out.frames = links.frames;
  return out;
}

// A certificate alone says who a client is: one without a name is nobody, and one with a name that is not expected is
// turned away before anything is read.
TEST(Names, OfCertificatesAreCheckedWhenTheStreamOpens) {
  const auto now = KeyClock::now();
  const keys::Holder authority = keys::make_authority("test", now - std::chrono::hours(1), now + std::chrono::hours(1));
  const auto texts = [&](KeyRole role, const std::string& name, const std::string& names) {
    const keys::Holder holder = keys::make_holder({.role = role,
                                                   .name = name,
                                                   .alternative_names = names,
                                                   .starts = now - std::chrono::minutes(5),
                                                   .ends = now + std::chrono::minutes(50)},
                                                  authority);
    return TlsTexts{keys::pem_text(authority.certificate.get()), keys::pem_text(holder.certificate.get()),
                    keys::pem_text(holder.key.get())};
  };
  const TlsTexts server = texts(KeyRole::server, "localhost", "DNS:localhost,IP:127.0.0.1");
  const auto client = [&](const std::string& name, const std::string& names) {
    return try_with(server, texts(KeyRole::client, name, names));
  };
  using ::testing::HasSubstr;
  const Stranger nobody = client("", ""), two = client("c1", "DNS:c9"), other = client("c9", "DNS:c9");
  EXPECT_THAT(nobody.told, HasSubstr("without a common name"));
  EXPECT_THAT(two.told, HasSubstr("the common name c1 and the alternative names c9"));
  EXPECT_EQ(other.told, "no client named c9 is expected");
  EXPECT_EQ(nobody.frames + two.frames + other.frames, 0);

  // A certificate of the same authority and with the right name that is not the one that the sites have compared.
  const TlsTexts c1 = texts(KeyRole::client, "c1", "DNS:c1");
  const auto named = [&](const std::string& fingerprint) {
    const std::string none(64, '0');
    return Overrides{fmt::format("federation.fingerprints=[\"{}\", \"{}\", \"{}\"]", none, fingerprint, none)};
  };
  const Stranger right = try_with(server, c1, named(shown_certificate(c1.certificate).fingerprint));
  const Stranger wrong = try_with(server, c1, named(std::string(64, 'a')));
  EXPECT_EQ(right.told, "welcome");
  EXPECT_EQ(wrong.told, "its certificate is not the one that the study names for it (federation.fingerprints)");
  EXPECT_EQ(wrong.frames, 0);
}

}  // namespace
}  // namespace pollen
