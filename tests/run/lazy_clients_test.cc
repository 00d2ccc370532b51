// Clients are made when they first take part, and that changes nothing else.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "round/client_host.h"
#include "support/problems.h"

namespace pollen {
namespace {

using testing::Collect;

std::string config_of(int taking_part) {
  return fmt::format(R"(
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 400
dimension = 50
min_size = 3
max_size = 6
test_fraction = 0.0
[sampler]
name = "qlsd++"
step = 1e-4
batch = 2
refresh = 3
[participation]
policy = "fixed-size"
size = {}
[run]
iterations = 40
burn_in = 0
chains = 2
)",
                     taking_part);
}

TEST(LazyClients, SaveOnlyWhatThoseWhoTookPartKnow) {
  Collect draws;
  Experiment few(read_config_text(config_of(4), "few.toml")), all(read_config_text(config_of(400), "all.toml"));
  for (Experiment* each : {&few, &all}) {
    each->prepare();
    each->advance(2, draws);
  }
  const std::size_t of_sixteen_at_most = few.save().size(), of_all = all.save().size();
  EXPECT_LT(of_sixteen_at_most, of_all / 10);
}

TEST(LazyClients, GoOnFromASavedStateOfFew) {
  const Config config = read_config_text(config_of(4), "few.toml");
  Collect whole, some, rest;
  Experiment a(config), b(config, {.threads = 2}), c(config);
  a.prepare();
  a.advance(40, whole);
  b.prepare();
  b.advance(17, some);
  c.load(b.save());
  c.advance(23, rest);
  for (Index k = 0; k < 2; ++k) EXPECT_TRUE(std::ranges::equal(a.position().column(k), c.position().column(k)));
  EXPECT_EQ(a.save(), c.save());
}

// A loaded state replaces everything a client knew, even if the state holds nothing for it.
TEST(LazyClients, ForgetWhatASavedStateDoesNotHave) {
  const Config config = read_config_text(config_of(4), "few.toml");
  Collect draws;
  Experiment a(config), b(config);
  a.prepare();
  const Bytes start = a.save();
  b.prepare();
  b.advance(10, draws);
  b.load(start);
  EXPECT_EQ(b.save(), start);
}

TEST(LazyClients, AreMadeWhenAskedFor) {
  int made = 0;
  const std::shared_ptr<const Potential> potential = make_gaussian({0.0}, {1.0});
  const Recipe recipe;
  const ClientParts parts{&recipe, nullptr, 0, 1, 3, nullptr, nullptr};
  Clients clients(3, [&](std::size_t place) {
    ++made;
    return std::make_unique<Client>(static_cast<std::uint32_t>(place), potential, parts, 1);
  });
  EXPECT_EQ(made, 0);
  EXPECT_EQ(clients[2].index(), 2U);
  EXPECT_EQ(&clients[2], &clients[2]);
  EXPECT_EQ(made, 1);
  EXPECT_TRUE(clients.has(2));
  EXPECT_FALSE(clients.has(0));
  clients.look(1, [&](const Client& client) { EXPECT_EQ(client.index(), 1U); });
  EXPECT_EQ(made, 2);
  EXPECT_FALSE(clients.has(1));
}

}  // namespace
}  // namespace pollen
