// Five client processes and a server leave the draws of `pollen run`, byte for byte, for every sampler.
#include <fmt/format.h>

#include "federation.h"

namespace pollen {
namespace {

struct Case {
  const char* name;
  Words keys;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Words set(const Words& keys) {
  Words words;
  for (const std::string& key : keys) words.insert(words.end(), {"--set", key});
  return words;
}

class Parity : public FederationTest, public testing::WithParamInterface<Case> {};

TEST_P(Parity, FiveProcessesLeaveTheDrawsOfOne) {
  const Words keys = set(GetParam().keys);
  simulate(keys);
  Child server = serve(keys);
  std::vector<Child> clients = join_all(port_of(server), 5, keys);
  expect_done(server, clients);
  expect_same_draws();
}

INSTANTIATE_TEST_SUITE_P(
    Samplers, Parity,
    testing::Values(
        Case{"lsd", {"sampler.name=lsd"}}, Case{"sgld", {"sampler.name=sgld"}}, Case{"qlsd", {"sampler.name=qlsd"}},
        Case{"qlsd_sharp", {"sampler.name=qlsd#"}}, Case{"lsd_star", {"sampler.name=lsd*"}},
        Case{"qlsd_star", {"sampler.name=qlsd*"}}, Case{"lsd_plus", {"sampler.name=lsd++"}},
        Case{"qlsd_plus", {"sampler.name=qlsd++"}},
        Case{"memory_from_gradient", {"sampler.name=qlsd++", "sampler.memory_init=gradient"}},
        Case{"bernoulli", {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.probability=0.5"}},
        Case{"inverse",
             {"sampler.name=qlsd++", "participation.policy=bernoulli", "participation.scaling=inverse-probability",
              "participation.probability=[0.9,0.5,0.4,0.3,1.0]"}},
        Case{"fixed_size", {"sampler.name=qlsd", "participation.policy=fixed-size", "participation.size=2"}},
        Case{"d_elf", {"sampler.name=d-elf", "sampler.k=2"}}, Case{"p_elf", {"sampler.name=p-elf", "sampler.k=2"}},
        Case{"b_elf", {"sampler.name=b-elf", "sampler.k=2"}},
        Case{"fald", {"sampler.name=fald", "sampler.local_steps=4"}},
        Case{"fald_own_noise", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.correlation=0.4"}},
        Case{"fald_every", {"sampler.name=fald", "sampler.communicate=0.3", "sampler.emit=every"}},
        Case{"fald_qsgd", {"sampler.name=fald", "sampler.local_steps=3", "sampler.compressor=qsgd"}},
        Case{"vr_fald", {"sampler.name=vr-fald*", "sampler.communicate=0.3", "sampler.refresh_probability=0.2"}},
        Case{"fa_ld", {"sampler.name=fa-ld", "sampler.local_steps=3"}},
        Case{"fa_ld_scheme_1",
             {"sampler.name=fa-ld", "sampler.local_steps=3", "sampler.scheme=I", "participation.size=2"}},
        Case{"auto_step", {"sampler.name=qlsd++", "sampler.step=auto"}},
        Case{"auto_local_step", {"sampler.name=fald", "sampler.step=auto", "sampler.local_steps=3"}},
        Case{"from_the_mode", {"sampler.name=qlsd", "run.init=mode"}}),
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
