// pollen join holds a server with a valid connection to the contract that its site has agreed to.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <thread>

#include "base/sha256.h"
#include "federation.h"
#include "grpc/wires.h"

namespace pollen {
namespace {

using namespace std::chrono_literals;

// A server that greets every client with the next of its studies, and keeps what clients then say.
class ContractTest : public FederationTest {
 protected:
  ContractTest() {
    std::string rows = "x,y\n";
    for (int i = 0; i < 40; ++i) rows += fmt::format("{},{}\n", i % 7, i % 3 == 0 ? "yes" : "no");
    put("d.csv", rows);
  }
  static std::string study(const std::string& more = {}) {
    return fmt::format(
        "[model]\nkind = \"logistic\"\n[sampler]\nname = \"lsd\"\nstep = 0.01\n[run]\niterations = 9\n[data]\ntarget = "
        "\"y\"\n{}",
        more);
  }
  Outcome join(const std::string& said, const Words& more) {
    std::vector<wire::Type> heard;
    const std::jthread server([&](const std::stop_token& stop) {
      Links& links = wires_->links();
      while (!stop.stop_requested()) {
        const auto event = links.next(links.now() + 50ms);
        if (!event || event->what != LinkEvent::What::frame) continue;
        heard.push_back(wire::type_of(event->frame));
        if (heard.back() == wire::Type::hello)
          links.send(event->link, std::make_shared<Bytes>(
                                      wire::encode(wire::Welcome{0, 3, hex(sha256(said)).substr(0, 20), study(said)})));
        if (heard.back() == wire::Type::columns)
          links.send(event->link, std::make_shared<Bytes>(wire::encode(wire::End{true, "enough"})));
        if (heard.back() == wire::Type::refusal) links.close(event->link);
      }
    });
    Words words = {"join",    "--server", fmt::format("127.0.0.1:{}", wires_->port()),
                   "--data",  "d.csv",    "--insecure",
                   "--name",  "a",        "--trust-server",
                   "--state", "s",        "--give-up",
                   "20"};
    words.insert(words.end(), more.begin(), more.end());
    Outcome outcome = run(words);
    columns_sent_ = std::ranges::count(heard, wire::Type::columns) > 0;
    return outcome;
  }

  std::unique_ptr<WireServer> wires_ = listen_at("127.0.0.1:0", std::nullopt);
  bool columns_sent_ = false;
};

const std::string kStudy = "test_fraction = 0.0\nmin_cell = 5\n", kOther = kStudy + "limit = 25\n";

TEST_F(ContractTest, IsWrittenAndHeld) {
  const Outcome dry = join(kStudy, {"--dry-run"});
  ASSERT_EQ(dry.code, 0) << dry.err;
  const std::string contract = slurp("contract.toml"), hash = hex(sha256(contract));
  expect_has(dry.out, "--contract-hash " + hash);
  expect_has(contract, "\n\"x\" = \"number\"\n\"y\" = \"text, 2 levels, the target\"\n");
  EXPECT_FALSE(columns_sent_);
  EXPECT_EQ(join(kStudy, {"--dry-run"}).code, 0) << "the same contract again";
  const Outcome overwritten = join(kOther, {"--dry-run"});
  EXPECT_EQ(overwritten.code, 2);
  expect_has(overwritten.err, "contract.toml: found another contract (data.limit is 0 in one and 25 in the other)");
  EXPECT_EQ(slurp("contract.toml"), contract);

  for (const Words& agreed : {Words{"--contract", "contract.toml"}, Words{"--contract-hash", hash}}) {
    const Outcome refused = join(kOther, agreed);
    EXPECT_EQ(refused.code, 1) << refused.err;
    expect_has(refused.err, "the study is another one: --contract");
    EXPECT_FALSE(columns_sent_);
    const Outcome taken = join(kStudy, agreed);
    EXPECT_EQ(taken.code, 0) << taken.err;
    EXPECT_TRUE(columns_sent_);
  }
}

TEST_F(ContractTest, TheFirstStudyIsPinned) {
  const Outcome first = join(kStudy, {});
  EXPECT_EQ(first.code, 0) << first.err;
  expect_has(first.err, "trust on first use: from now on d.csv takes part in this study alone");
  const Outcome other = join(kOther, {});
  EXPECT_EQ(other.code, 2);
  expect_has(other.err, "runs_per_data: found a further run over the rows of");
  EXPECT_FALSE(columns_sent_);
  EXPECT_EQ(join(kOther, {"--new-run"}).code, 0);
}

TEST_F(ContractTest, WrongOptions) {
  const Outcome outcome = join(kStudy, {"--contract", "none.toml", "--contract-hash", "abc", "--model-file", "m.pt"});
  EXPECT_EQ(outcome.code, 2);
  for (const char* words : {"--contract: found \"none.toml\", accepted: a file", "--contract-hash: found \"abc\"",
                            "--model-file: found \"m.pt\", accepted: a file"})
    expect_has(outcome.err, words);
}

}  // namespace
}  // namespace pollen
