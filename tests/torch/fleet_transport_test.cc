// Runs whose clients are computed together have the positions, counts, memories and anchors of runs whose clients are
// computed one by one, for every row of the table in fleet_cases.h. With a GPU both compute there.
#include "run/fleet_transport.h"

#include <gtest/gtest.h>

#include "fleet_cases.h"
#include "help.h"
#include "pollen/archive.h"
#include "pollen/compress.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::FleetCase;

// What one client keeps for one chain.
struct Kept {
  std::vector<double> memory, anchored;  // h_i and ∇U_i(ζ)
  std::uint64_t version = 0;             // version of the ζ whose gradient was counted
  bool anchored_now = false;             // `anchored` is of the chain's present ζ
};

// A run whose transport and clients can be looked into.
class FleetRun {
 public:
  FleetRun(Overrides keys, bool together) {
    keys.push_back("compute.device=" + testing::fleet_device());
    ExperimentOptions options;
    options.threads = 1;
    options.transport = [this, together](ClientView& view, Clients& clients) {
      view_ = &view;
      clients_ = &clients;
      std::unique_ptr<Transport> transport = together ? make_fleet_transport(view, clients, 1) : nullptr;
      is_fleet = transport != nullptr;
      if (!transport) transport = make_thread_transport(view, clients, 1);
      transport_ = transport.get();
      return transport;
    };
    experiment = std::make_unique<Experiment>(read_config_text(testing::kFleetRun, "test.toml", keys), options);
  }

  FleetRun& prepare() {
    experiment->prepare();
    return *this;
  }
  FleetRun& advance(std::int64_t iterations) {
    experiment->advance(iterations, collect);
    return *this;
  }
  FleetRun& finish() { return advance(experiment->config().run.iterations - experiment->iteration()); }

  std::vector<Kept> kept() const { return is_fleet ? kept_by_fleet() : kept_by_clients(); }

  std::unique_ptr<Experiment> experiment;
  testing::Collect collect;
  bool is_fleet = false;

 private:
  bool has_memory() const { return view_->recipe().up.memory != Memory::none; }
  bool has_anchor() const { return view_->recipe().oracle == OracleKind::svrg; }
  std::size_t chains() const { return static_cast<std::size_t>(view_->chains()); }
  std::size_t dimension() const { return static_cast<std::size_t>((*clients_)[0].potential().dimension()); }

  // Reads what the fleet's transport archives, in the order of the clients' archives: chain by chain for every client.
  std::vector<Kept> kept_by_fleet() const {
    const std::size_t b = clients_->size(), d = dimension();
    Archive out;
    transport_->archive(out);
    const Bytes bytes = out.take();
    Archive in(bytes);
    std::vector<std::uint64_t> anchor_at(has_anchor() ? chains() : 0), evaluated(has_anchor() ? chains() * b : 0);
    in.array(std::span(anchor_at));
    in.array(std::span(evaluated));
    std::vector<Kept> all(chains() * b);
    for (std::size_t c = 0; c < chains(); ++c) {
      std::vector<double> memory(has_memory() ? b * d : 0), anchored(has_anchor() ? b * d : 0);
      in.array(std::span(memory));
      in.array(std::span(anchored));
      for (std::size_t i = 0; i < b; ++i) {
        Kept& one = all[i * chains() + c];
        const auto from = static_cast<std::ptrdiff_t>(i * d), to = from + static_cast<std::ptrdiff_t>(d);
        if (has_memory()) one.memory.assign(memory.begin() + from, memory.begin() + to);
        if (has_anchor()) one.anchored.assign(anchored.begin() + from, anchored.begin() + to);
        if (has_anchor()) one.version = evaluated[c * b + i];
        one.anchored_now = has_anchor() && anchor_at[c] == view_->anchor_version()[c];
      }
    }
    in.finish();
    return all;
  }

  std::vector<Kept> kept_by_clients() const {
    std::vector<Kept> all;
    const auto d = static_cast<Index>(dimension());
    for (std::size_t i = 0; i < clients_->size(); ++i) {
      Panel memory(d, view_->chains()), gradient(d, view_->chains());
      std::vector<std::uint64_t> version(chains(), 0);
      read_client(i, memory, gradient, version);
      for (std::size_t c = 0; c < chains(); ++c) {
        Kept& one = all.emplace_back();
        const auto chain = static_cast<Index>(c);
        if (has_memory()) one.memory.assign(memory.column(chain).begin(), memory.column(chain).end());
        if (has_anchor()) one.anchored.assign(gradient.column(chain).begin(), gradient.column(chain).end());
        one.version = version[c];
        one.anchored_now = has_anchor() && version[c] == view_->anchor_version()[c];
      }
    }
    return all;
  }

  // Reads a client's archive. A client that has not taken part has none.
  void read_client(std::size_t i, Panel& memory, Panel& gradient, std::vector<std::uint64_t>& version) const {
    Archive out;
    (*clients_)[i].archive(out);
    const Bytes bytes = out.take();
    Archive in(bytes);
    std::uint32_t size = 0;
    in.field(size);
    if (size == 0) return;
    in.array(has_memory() ? memory.flat() : std::span<double>());
    CodeMemory code;  // which no fleet keeps
    in.fields(code.updates, code.mean);
    in.array(std::span<double>());  // the point of a fixed-point oracle
    if (!has_anchor()) return;
    std::vector<std::uint64_t> round = version;
    in.array(gradient.flat());
    in.array(std::span(version));
    in.array(std::span(round));
    in.finish();
  }

  const ClientView* view_ = nullptr;
  Clients* clients_ = nullptr;
  Transport* transport_ = nullptr;
};

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double relative, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  std::vector<double> difference(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) difference[j] = a[j] - b[j];
  EXPECT_LE(testing::norm_of(difference), relative * testing::norm_of(b)) << what;
}

class FleetRuns : public ::testing::TestWithParam<FleetCase> {};
INSTANTIATE_TEST_SUITE_P(Cases, FleetRuns, ::testing::ValuesIn(testing::kFleetCases),
                         [](const auto& test) { return test.param.name; });

TEST_P(FleetRuns, EqualsClientsThatAreComputedOneByOne) {
  FleetRun one(GetParam().keys, false), all(GetParam().keys, true);
  one.prepare().finish();
  all.prepare().finish();
  ASSERT_TRUE(all.is_fleet);
  const double relative = GetParam().quantised ? 1e-4 : 1e-5;
  for (std::size_t c = 0; c < one.collect.draws.size(); ++c)
    expect_near(all.collect.draws[c], one.collect.draws[c], relative, "draws");
  const Counters counted = all.experiment->counters(), expected = one.experiment->counters();
  EXPECT_EQ(counted.downlink_bits, expected.downlink_bits);
  EXPECT_EQ(counted.messages, expected.messages);
  EXPECT_EQ(counted.gradients, expected.gradients);
  // A fleet counts levels in Elias codes, and clients that are computed one by one send the shorter of two codes.
  EXPECT_GE(static_cast<double>(counted.uplink_bits), 0.99 * static_cast<double>(expected.uplink_bits));
  EXPECT_LE(static_cast<double>(counted.uplink_bits),
            (GetParam().quantised ? 1.7 : 1.0) * static_cast<double>(expected.uplink_bits));
  const std::vector<Kept> fleet = all.kept(), clients = one.kept();
  ASSERT_EQ(fleet.size(), clients.size());
  for (std::size_t k = 0; k < fleet.size(); ++k) {
    expect_near(fleet[k].memory, clients[k].memory, 10 * relative, "memory");
    EXPECT_EQ(fleet[k].version, clients[k].version);
    if (fleet[k].anchored_now && clients[k].anchored_now)
      expect_near(fleet[k].anchored, clients[k].anchored, 10 * relative, "gradient at the anchor");
  }
}

TEST_P(FleetRuns, GoesOnFromACheckpoint) {
  FleetRun whole(GetParam().keys, true), first(GetParam().keys, true), second(GetParam().keys, true);
  const std::int64_t iterations = whole.prepare().finish().experiment->iteration();
  first.prepare().advance(iterations / 3 + 1);
  second.collect = first.collect;
  second.experiment->load(first.experiment->save());
  second.finish();
  EXPECT_EQ(second.collect.draws, whole.collect.draws);
  EXPECT_EQ(second.experiment->counters().uplink_bits, whole.experiment->counters().uplink_bits);
  EXPECT_EQ(second.experiment->counters().gradients, whole.experiment->counters().gradients);
  EXPECT_EQ(second.experiment->save(), whole.experiment->save());
}

// With likelihood = "mean" a row weighs less if its client has more rows.
TEST(FleetTransport, LeavesClientsOfDifferentScalesAlone) {
  EXPECT_FALSE(FleetRun({"sampler.name=sgld", "model.likelihood=mean", "data.partition=dirichlet"}, true).is_fleet);
}

TEST(FleetTransport, LeavesOtherRecipesAlone) {
  for (const Overrides& keys :
       {Overrides{"sampler.name=lsd"}, Overrides{"sampler.name=d-elf"}, Overrides{"sampler.name=fald"},
        Overrides{"sampler.name=qlsd*"}, Overrides{"sampler.name=qlsd++", "sampler.memory_init=gradient"},
        Overrides{"sampler.name=sgld", "sampler.bits=32"}, Overrides{"sampler.name=sgld", "sampler.batch=1.0"},
        Overrides{"sampler.name=sgld", "participation.policy=bernoulli",
                  "participation.probability=[0.9,0.5,0.4,1.0]"}}) {
    Overrides smaller = keys;
    smaller.emplace_back("sampler.step=1e-5");
    EXPECT_FALSE(FleetRun(smaller, true).is_fleet) << fmt::format("{}", fmt::join(keys, " "));
  }
}

}  // namespace
}  // namespace pollen
