// Whoever has no right to join is kept out, is told why, and leaves the federation unchanged.
#include <fmt/format.h>

#include <filesystem>
#include <thread>

#include "bad_input/case.h"
#include "base/file.h"
#include "federation.h"
#include "grpc/wires.h"
#include "keys/keys.h"

namespace pollen {
namespace {

using namespace std::chrono_literals;

class Security : public FederationTest {
 protected:
  Security() {
    put("a.toml", fmt::format("{}[federation]\nexpect = [\"c0\", \"c1\"]\n", kFederated));
    make("k", {"c0", "c1", "c9"}, KeyClock::now());
    make("other", {"c0", "c1"}, KeyClock::now());
    make("old", {"c1"}, KeyClock::now() - 24h * 400);
    put("both.pem", slurp("k/ca.pem") + slurp("other/ca.pem"));
  }

  void make(const std::string& folder, const Words& clients, KeyClock::time_point now) const {
    make_keys({.folder = path(folder),
               .server = "localhost",
               .addresses = {"127.0.0.1"},
               .clients = clients,
               .days = 30,
               .now = now});
  }
  static Words tls(const std::string& folder, const std::string& name, const std::string& ca) {
    return {
        "--ca", ca, "--cert", fmt::format("{}/{}.pem", folder, name), "--key", fmt::format("{}/{}.key", folder, name)};
  }
  TlsTexts texts(const std::string& folder, const std::string& name, const std::string& ca) const {
    return {slurp(ca), slurp(fmt::format("{}/{}.pem", folder, name)), slurp(fmt::format("{}/{}.key", folder, name))};
  }

  void begin() {
    simulate(keys_);
    server_.emplace(serve(joined(tls("k", "localhost", "k/ca.pem"), keys_)));
    clients_.push_back(join(0, port_of(*server_), joined(tls("k", "c0", "k/ca.pem"), keys_)));
    ASSERT_TRUE(await(kPatience, [&] { return server_->err().find("c0 is here") != std::string::npos; }));
  }
  // The right client still gets its seat.
  void end() {
    EXPECT_TRUE(server_->running()) << server_->err();
    clients_.push_back(join(1, port_of(*server_), joined(tls("k", "c1", "k/ca.pem"), keys_)));
    expect_done(*server_, clients_);
    expect_same_draws();
  }
  static Words joined(Words a, const Words& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }
  // Starts another client that claims to be number 1.
  Outcome intrude(int port, Words more, const std::string& part = "1") const {
    more.insert(more.begin(), {"join", "--server", fmt::format("127.0.0.1:{}", port), "--state", "evil", "--give-up",
                               "1", "--shared-seed", "--config", "a.toml", "--client", part});
    return run(joined(more, keys_));
  }
  void expect_refused(const Outcome& outcome, int code, const std::string& why) const {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    expect_has(outcome.err, why);
  }

  Words keys_ = {"--set", "sampler.name=qlsd++", "--set", "data.clients=2"};
  std::optional<Child> server_;
  std::vector<Child> clients_;
};

TEST_F(Security, StrangersAreKeptOut) {
  begin();
  const int port = port_of(*server_);
  const std::string untrusted = "the server's certificate is not one the authority in --ca has signed";
  const std::string hung_up = "the server hung up at once";
  // With another authority neither side trusts the other.
  expect_refused(intrude(port, tls("other", "c1", "other/ca.pem")), 1, untrusted);
  // A certificate of another federation, whose owner trusts this server.
  expect_refused(intrude(port, tls("other", "c1", "k/ca.pem")), 2, "k/ca.pem");
  expect_refused(intrude(port, tls("other", "c1", "both.pem")), 1, hung_up);
  expect_refused(intrude(port, tls("old", "c1", "old/ca.pem")), 2, "expired");
  expect_refused(intrude(port, {"--insecure", "--name", "c1"}), 1, hung_up);
  expect_refused(intrude(port, tls("k", "localhost", "k/ca.pem")), 2, "k/localhost.pem");
  expect_refused(intrude(port, tls("k", "c1", "k/ca.pem"), "2"), 1,
                 "--client 2 is not free or not among the 2 clients");
  end();
  // gRPC's own messages about handshakes must not reach the user.
  for (const std::string& line : bad_input::lines_of(server_->err())) EXPECT_TRUE(line.starts_with("pollen: ")) << line;
}

TEST_F(Security, ANameThatIsNotExpected) {
  begin();
  const Outcome outcome = intrude(port_of(*server_), tls("k", "c9", "k/ca.pem"));
  expect_refused(outcome, 1, "no client named c9 is expected");
  EXPECT_EQ(outcome.err.find("c0"), std::string::npos) << outcome.err;  // who is expected is not a stranger's business
  expect_has(server_->err(), "refused c9: no client named c9 is expected (federation.expect: c0, c1)");
  end();
}

TEST_F(Security, ANameThatIsHereAlready) {
  begin();
  const Outcome outcome = intrude(port_of(*server_), tls("k", "c0", "k/ca.pem"), "0");
  expect_refused(outcome, 1, "a client named c0 is connected already");
  expect_has(outcome.err, "given up after 1 s");
  end();
}

// The wires also refuse what pollen's own client would not send.
TEST_F(Security, AClientThatDoesNotLookAtItsOwnCertificate) {
  begin();
  const std::string address = fmt::format("127.0.0.1:{}", port_of(*server_));
  for (const TlsTexts& t : {texts("old", "c1", "k/ca.pem"), texts("other", "c1", "k/ca.pem"),
                            texts("k", "localhost", "k/ca.pem"), TlsTexts{slurp("k/ca.pem"), "", ""}}) {
    WireClient wire(address, t, nullptr);
    EXPECT_FALSE(wire.connect(1) && wire.write(Bytes(30)));
    expect_has(wire.why(), "hung up at once");
  }
  end();
}

TEST_F(Security, AServerThatIsNoServer) {
  const auto with = [&](const TlsTexts& t, const std::string& why) {
    const auto wires = listen_at("127.0.0.1:0", t);
    expect_refused(intrude(wires->port(), tls("k", "c1", "k/ca.pem")), 1, why);
  };
  const std::string untrusted = "the server's certificate is not one the authority in --ca has signed";
  with(texts("k", "c0", "k/ca.pem"), untrusted);
  with(texts("old", "localhost", "k/ca.pem"), untrusted);
  with(texts("other", "localhost", "k/ca.pem"), untrusted);
  const auto plain = listen_at("127.0.0.1:0", std::nullopt);
  expect_refused(intrude(plain->port(), tls("k", "c1", "k/ca.pem")), 1, "the server does not use TLS");
  const Outcome refused = run({"serve", "a.toml", "--listen", "127.0.0.1:0", "--out", "x", "--ca", "k/ca.pem", "--cert",
                               "k/c0.pem", "--key", "k/c0.key"});
  expect_refused(refused, 2, "k/c0.pem");
}

// A server's words reach the terminal of whoever asks what would be sent, so they must not control it.
TEST_F(Security, AServerThatRefusesInControlCharacters) {
  const auto wires = listen_at("127.0.0.1:0", std::nullopt);
  const std::jthread server([&] {
    Links& links = wires->links();
    while (const auto event = links.next(links.now() + 30s))
      if (event->what == LinkEvent::What::frame) {
        links.send(event->link, std::make_shared<Bytes>(wire::encode(wire::Refusal{"go\x1b[2J\naway", false})));
        return;
      }
  });
  put("d.csv", "x,y\n1,0\n");
  const Outcome outcome = run({"join", "--server", fmt::format("127.0.0.1:{}", wires->port()), "--insecure", "--name",
                               "a", "--data", "d.csv", "--dry-run"});
  expect_refused(outcome, 1, "refuses: go?[2J away");
}

// The same for a configuration that cannot be read, whose words errors quote.
TEST_F(Security, AServersConfigurationInControlCharacters) {
  const auto wires = listen_at("127.0.0.1:0", std::nullopt);
  const std::jthread server([&] {
    Links& links = wires->links();
    while (const auto event = links.next(links.now() + 30s))
      if (event->what == LinkEvent::What::frame) {
        const std::string config = "\"\\u001b]0;x\\u0007\" = 1\n[model]\nkind = \"\\u009b2J\"\n";
        links.send(event->link, std::make_shared<Bytes>(wire::encode(wire::Welcome{0, 3, "r", config})));
        return;
      }
  });
  put("d.csv", "x,y\n1,0\n");
  const Outcome outcome = run({"join", "--server", fmt::format("127.0.0.1:{}", wires->port()), "--insecure", "--name",
                               "a", "--data", "d.csv", "--dry-run"});
  expect_refused(outcome, 2, "unknown key");
  for (const char* control : {"\x1b", "\x07", "\xc2\x9b"})
    EXPECT_EQ((outcome.out + outcome.err).find(control), std::string::npos) << outcome.err;
}

// 127.0.0.1 is in every server's certificate, other addresses of this machine are not.
TEST_F(Security, AServerOfAnotherName) {
  const auto wires = listen_at("127.0.0.2:0", texts("k", "localhost", "k/ca.pem"));
  Words words = {"join",     "--server", fmt::format("127.0.0.2:{}", wires->port()),
                 "--state",  "evil",     "--give-up",
                 "1",        "--config", "a.toml",
                 "--client", "1"};
  expect_refused(run(joined(words, tls("k", "c1", "k/ca.pem"))), 1, "not for the host name or address in --server");
}

// Everybody is needed here, so the run stops; its checkpoint is kept for a run in which the client may take part again.
TEST_F(Security, ACertificateThatIsRevokedInMidRun) {
  revoke_keys(path("k"), {"c9"});
  keys_.insert(keys_.end(), {"--set", "run.iterations=100000"});
  Words words = joined(tls("k", "localhost", "k/ca.pem"), keys_);
  words.insert(words.end(), {"--crl", "k/crl.pem"});
  server_.emplace(serve(words));
  for (int i = 0; i < 2; ++i)
    clients_.push_back(join(i, port_of(*server_), joined(tls("k", fmt::format("c{}", i), "k/ca.pem"), keys_)));
  ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > 0; })) << server_->err();
  revoke_keys(path("k"), {"c1"});
  EXPECT_EQ(server_->wait(kPatience), 130) << server_->err();
  expect_has(server_->err(), "c1 is sent away: its certificate is revoked");
  expect_has(server_->err(), "the run stops, because c1 may not take part any more");
  EXPECT_EQ(clients_[1].wait(kPatience), 1) << clients_[1].err();
  expect_has(clients_[1].err(), "its certificate is revoked");
  EXPECT_TRUE(std::filesystem::exists(path("hub/checkpoint")));
}

TEST_F(Security, NobodyThere) {
  int port = 0;
  port = listen_at("127.0.0.1:0", std::nullopt)->port();
  expect_refused(intrude(port, {"--insecure", "--name", "c1"}), 1, "there is no server at that address");
}

}  // namespace
}  // namespace pollen
