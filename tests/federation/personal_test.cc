// Models with latents in a federation: the draws of the simulation, bit for bit, whatever breaks; latents that stay
// with their client; and a state folder from a backup, which is noticed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pollen/errors.h"
#include "support/federated.h"
#include "world.h"

namespace pollen {
namespace {

using testing::Faults;
using testing::World;
using What = Query::What;

constexpr const char* kMixed = R"(
seed = 7
[data]
source = "synthetic-mixed"
clients = 4
dimension = 3
min_size = 8
max_size = 20
[model]
kind = "mixed-gaussian"
random = ["x1"]
[run]
iterations = 40
burn_in = 16
chains = 2
[sampler]
name = "fedsoul"
local_steps = 3
)";

constexpr const char* kLastLayer = R"(
seed = 7
[data]
source = "synthetic-logistic"
clients = 3
dimension = 4
min_size = 12
max_size = 30
[model]
kind = "mlp"
sizes = [3]
personal = "last-layer"
[run]
iterations = 12
burn_in = 4
chains = 2
[warm_up]
epochs = 2
batch = 4
[sampler]
name = "fedsoul"
local_steps = 2
step = 0.001
shared_step = 0.002
population_step = 0.01
)";

struct Case {
  const char* name;
  const char* config;
  std::vector<std::string> keys;
  // The first coordinate that the server has, and how many, for a baseline whose clients keep a part of the model.
  std::size_t first = 0, shown = 0;
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::vector<Case> kCases = {
    {"automatic", kMixed, {}},
    {"explicit_steps", kMixed, {"sampler.step=0.002", "sampler.shared_step=0.001", "sampler.population_step=0.002"}},
    {"mixed_linear",
     kMixed,
     {"model.kind=mixed-linear", "model.random=[]", "model.latent=2", "sampler.shared_step=0.002"}},
    {"fedsouk_with_memory",
     kMixed,
     {"sampler.name=fedsouk", "sampler.kernel=hmc", "sampler.compressor=qsgd", "sampler.levels=8",
      "sampler.memory=true", "participation.policy=bernoulli", "participation.probability=0.6"}},
    {"energy",
     kMixed,
     {"population.prior=energy", "population.units=2", "sampler.shared_step=0.001", "sampler.population_step=0.002"}},
    {"last_layer", kLastLayer, {}},
    {"hmc", kMixed, {"sampler.name=hmc", "sampler.leapfrogs=3"}},
    {"hmc_last_layer", kLastLayer, {"sampler.name=hmc", "sampler.leapfrogs=3"}},
    {"ditto", kMixed, {"sampler.name=ditto", "sampler.step=0.01"}},
    {"scaffold", kMixed, {"sampler.name=scaffold", "sampler.step=0.01"}},
    {"apfl", kMixed, {"sampler.name=apfl", "sampler.step=0.01", "sampler.adapt_mixture=true"}},
    {"per_fedavg", kMixed, {"sampler.name=per-fedavg", "sampler.step=0.01"}},
    {"fedrep",
     kMixed,
     {"sampler.name=fedrep", "sampler.step=0.01", "participation.policy=fixed-size", "participation.size=2"},
     0,
     3},
};

class Personal : public ::testing::TestWithParam<Case> {
 protected:
  testing::FederationOutcome federation(const Faults& faults) {
    World world(GetParam().config, GetParam().keys, faults, folder_.path());
    world.overhear = [this](std::uint32_t, const Bytes& frame) {
      if (wire::type_of(frame) == wire::Type::ask) asked_.push_back(wire::decode<wire::Ask>(frame).what);
    };
    auto outcome = run_federation(world);
    for (const std::string& why : world.ended) EXPECT_EQ(why, "done");
    return outcome;
  }
  // The draws of the simulation, without what the server of a federation does not have.
  std::vector<std::vector<double>> simulation() const {
    Overrides keys = GetParam().keys;
    keys.insert(keys.end(), {"run.coupled=true", "output.lp=false"});
    Experiment experiment(read_config_text(GetParam().config, "test.toml", keys));
    experiment.prepare();
    testing::Collect collect;
    experiment.advance(experiment.config().run.iterations, collect);
    const std::size_t shown = GetParam().shown, whole = static_cast<std::size_t>(experiment.dimension());
    if (shown == 0) return collect.draws;
    std::vector<std::vector<double>> some(collect.draws.size());
    for (std::size_t c = 0; c < some.size(); ++c)
      for (std::size_t at = GetParam().first; at < collect.draws[c].size(); at += whole)
        some[c].insert(some[c].end(), collect.draws[c].begin() + static_cast<std::ptrdiff_t>(at),
                       collect.draws[c].begin() + static_cast<std::ptrdiff_t>(at + shown));
    return some;
  }
  testing::Folder folder_;
  std::vector<std::uint8_t> asked_;
};

TEST_P(Personal, SameDrawsAsTheSimulation) {
  EXPECT_EQ(federation({.repeat = 100}).draws, simulation());
  EXPECT_THAT(asked_, ::testing::Not(::testing::Contains(static_cast<std::uint8_t>(What::latents))));
}

TEST_P(Personal, FaultsDoNotMatter) {
  const auto alone = simulation();
  int faults = 0;
  for (unsigned seed = 1; seed <= 4; ++seed) {
    const auto together =
        federation({.cut = 10, .kill_client = 10, .kill_server = 1, .kill_between = 30, .repeat = 50, .seed = seed});
    EXPECT_EQ(alone, together.draws) << "seed " << seed;
    faults += together.faults;
    std::filesystem::remove_all(folder_.path());
    std::filesystem::create_directory(folder_.path());
  }
  EXPECT_GE(faults, 10);
}

INSTANTIATE_TEST_SUITE_P(Samplers, Personal, ::testing::ValuesIn(kCases),
                         [](const auto& test) { return test.param.name; });

// A client whose state folder is put back from a backup in the middle of a run has latents of an earlier round.
TEST(PersonalState, FromABackupIsNoticed) {
  namespace fs = std::filesystem;
  testing::Folder folder;
  const std::string state = folder.path() + "/c1", copy = folder.path() + "/copy";
  World world(kMixed, {}, {}, folder.path());
  int rounds = 0;
  bool gone = false;
  world.overhear = [&](std::uint32_t client, const Bytes& frame) {
    if (client != 1 || wire::type_of(frame) != wire::Type::broadcast) return;
    if (++rounds == 10) fs::copy(state, copy);
    gone = rounds == 20;
  };
  world.away = [&](std::uint32_t client) {
    if (client != 1 || !std::exchange(gone, false)) return false;
    fs::remove_all(state);
    fs::copy(copy, state);
    world.restart(1);
    return true;
  };
  EXPECT_THROW(run_federation(world), std::logic_error);  // nothing happens any more without that client
  EXPECT_THAT(world.ended, ::testing::ElementsAre(::testing::HasSubstr("it is not the state this client had")));
}

// A server with a valid certificate that asks for latents, or for what only other models are asked.
TEST(PersonalRefusals, OfQuestionsThatDoNotFit) {
  ParticipantOptions options;
  options.name = "c0";
  options.config = testing::federated_config(kMixed, {});
  options.part = 0;
  options.shared_seed = true;
  Participant client(options);
  int said = 0;
  const auto hear = [&](const Bytes& frame) { client.handle(frame, [&](const Bytes&) { ++said; }); };
  hear(wire::encode(wire::Welcome{0, 4, "run", ""}));
  hear(wire::encode(wire::Seat{0.25}));
  said = 0;
  for (std::size_t what = 0; what <= kKinds; ++what)
    for (const Index rows : {1, 3, 4, 5, 6})
      for (const Index columns : {1, 2, 4}) {
        const wire::Ask ask{1, static_cast<std::uint8_t>(what), Panel(rows, columns), Panel(rows, 7), rows + 1, columns,
                            3};
        EXPECT_THROW(hear(wire::encode(ask)), WireError) << what << " " << rows << " × " << columns;
      }
  wire::Ask many{1, static_cast<std::uint8_t>(What::observed), Panel(5, 1), {}, 5, 6, 1U << 20U};
  EXPECT_THROW(hear(wire::encode(many)), WireError);
  EXPECT_EQ(said, 0);
}

TEST(PersonalRefusals, SayWhy) {
  const auto why = [](const char* name) {
    Config config;
    config.sampler.name = name;
    return why_not_federated(config);
  };
  EXPECT_EQ(why("fedsoul"), "");
  EXPECT_EQ(why("ditto"), "");
  EXPECT_THAT(why("local"), ::testing::HasSubstr("sends nothing"));
  EXPECT_THAT(why("l2gd"), ::testing::HasSubstr("whole models"));
}

}  // namespace
}  // namespace pollen
