// Rounds of FedSOUL whose broadcasts and replies travel as frames follow the same path, bit for bit, as within a
// process.
#include <gtest/gtest.h>

#include "fedsouk.h"
#include "round/local_work.h"
#include "wire/wire.h"

namespace pollen {
namespace {

// Does what a client and a server in two processes would do, one client after another.
class FrameTransport final : public Transport {
 public:
  FrameTransport(ClientView& view, Clients& clients) : view_(view), clients_(clients) {}

  void exchange(Server& server) override {
    const Roster& roster = server.broadcast().roster;
    for (const Roster::Entry& entry : roster.clients) {
      wire::encode(server.broadcast(), roster.chains(entry), frame_);
      wire::decode(frame_, heard_, chains_);
      view_.receive(heard_, work_);
      Client& client = clients_[entry.client];
      client.answer(view_, chains_, sent_, work_);
      wire::encode(sent_, frame_);
      wire::decode(frame_, got_);
      got_.code = sent_.code;  // which a server keeps for its clients
      server.absorb(got_, entry, work_);
      client.acknowledge(sent_, true);
    }
  }
  void query(const Query&, PanelView) override {}

 private:
  ClientView& view_;
  Clients& clients_;
  Workspace work_;
  Broadcast heard_;
  Reply sent_, got_;
  std::vector<std::uint32_t> chains_;
  Bytes frame_;
};

TEST(Frames, CarryAPersonalRound) {
  const auto tables = testing::make_mixed_tables(MixedKind::gaussian, 9, 2, 2, std::nullopt);
  const auto population = make_normal_population({}, 2);
  PersonalProblem problem;
  problem.clients = PersonalClients(tables->pointers());
  problem.population = population.get();
  problem.chains = 3;
  Recipe recipe;
  recipe.up.compressor = {.kind = "qsgd", .levels = 4};
  recipe.up.memory = Memory::average;
  recipe.up.rate = 0.4;
  recipe.participation.policy = ParticipationPolicy::fixed_size;
  recipe.participation.size = 4;
  const PersonalSettings settings{
      .kernel = LocalKernel::mala, .local_steps = 3, .population_step = 0.01, .shared_step = 0.005};
  testing::Fedsouk here(problem, settings, recipe);
  testing::Fedsouk away(problem, settings, recipe, [](ClientView& view, Clients& clients) {
    return std::unique_ptr<Transport>(std::make_unique<FrameTransport>(view, clients));
  });
  for (testing::Fedsouk* engine : {&here, &away}) {
    testing::start_at(*engine, std::vector<double>(static_cast<std::size_t>(problem.dimension()), 0.1), 3);
    for (int k = 0; k < 15; ++k) engine->advance(1);
  }
  for (Index c = 0; c < 3; ++c)
    EXPECT_TRUE(std::ranges::equal(here.position().column(c), away.position().column(c))) << c;
  EXPECT_EQ(here.counters().uplink_bits, away.counters().uplink_bits);
  EXPECT_EQ(here.counters().gradients, away.counters().gradients);
  EXPECT_EQ(here.counters().messages, 15 * 4 * 3);
}

// A reply that was not counted leaves no trace: if the client is asked again, it gives the same reply.
TEST(Frames, AnUncountedReplyCanBeAskedForAgain) {
  const auto tables = testing::make_mixed_tables(MixedKind::gaussian, 1, 2, 2, 0.7);
  const auto population = make_normal_population({}, 2);
  PersonalProblem problem;
  problem.clients = PersonalClients(tables->pointers());
  problem.population = population.get();
  const ClientWork work = make_personal_work(problem, {.local_steps = 3});
  Recipe recipe;
  recipe.up.whole_tail = population->parameters();
  const Prior prior = Prior::flat();
  const HostSetup setup{.recipe = &recipe, .prior = &prior, .dimension = problem.dimension(), .work = &work};
  ClientHost host(setup, 1, [](std::size_t) { return Member{}; });
  Workspace scratch;
  Reply first, again, next;
  const std::uint32_t chain[] = {0};
  Client& client = host.clients()[0];
  client.answer(host.view(), chain, first, scratch);
  client.acknowledge(first, false);
  client.answer(host.view(), chain, again, scratch);
  EXPECT_EQ(first.payload, again.payload);
  client.acknowledge(again, true);
  client.answer(host.view(), chain, next, scratch);
  EXPECT_NE(first.payload, next.payload) << "the chain goes on where the counted reply ended";
}

}  // namespace
}  // namespace pollen
