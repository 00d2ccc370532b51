// Five client processes and a server produce the draws of `pollen run`, byte for byte, for every sampler.
#include <fmt/format.h>

#include "federation.h"

namespace pollen {
namespace {

Words set(const Words& keys) {
  Words words;
  for (const std::string& key : keys) words.insert(words.end(), {"--set", key});
  return words;
}

class Parity : public FederationTest, public ::testing::WithParamInterface<FederatedSampler> {};

TEST_P(Parity, FiveProcessesLeaveTheDrawsOfOne) {
  std::vector<std::string> all = GetParam().keys;
  all.emplace_back("output.lp=false");  // exact samplers have lp__ by default
  const Words keys = set(all);
  simulate(keys);
  Child server = serve(keys);
  std::vector<Child> clients = join_all(port_of(server), 5, keys);
  expect_done(server, clients);
  expect_same_draws();
}

INSTANTIATE_TEST_SUITE_P(Samplers, Parity, ::testing::ValuesIn(kFederatedSamplers),
                         [](const auto& test) { return test.param.name; });

class Federated : public FederationTest {};

TEST_F(Federated, WithMutualTls) {
  const Outcome made =
      run({"keys", "k", "--server", "localhost", "--address", "127.0.0.1", "--clients", "c0,c1,c2,c3,c4"});
  ASSERT_EQ(made.code, 0) << made.err;
  const auto files = [](const std::string& name) {
    return Words{"--ca", "k/ca.pem", "--cert", fmt::format("k/{}.pem", name), "--key", fmt::format("k/{}.key", name)};
  };
  simulate(set({"sampler.name=qlsd++"}));
  Words keys = set({"sampler.name=qlsd++"});
  Words hub = files("localhost");
  hub.insert(hub.end(), keys.begin(), keys.end());
  Child server = serve(hub);
  std::vector<Child> clients;
  for (int i = 0; i < 5; ++i) {
    Words mine = files(fmt::format("c{}", i));
    mine.insert(mine.end(), keys.begin(), keys.end());
    clients.push_back(join(i, port_of(server), mine));
  }
  expect_done(server, clients);
  expect_same_draws();
  expect_has(server.err(), "as localhost");
}

TEST_F(Federated, WithTheDensityOfEveryDraw) {
  const Words keys = set({"sampler.name=qlsd++", "output.lp=true"});
  simulate(keys);
  Child server = serve(keys);
  std::vector<Child> clients = join_all(port_of(server), 5, keys);
  expect_done(server, clients);
  expect_same_draws();
  EXPECT_EQ(slurp("together/draws-1.csv").find("nan"), std::string::npos);
}

}  // namespace
}  // namespace pollen
