// Compares clients with their own files, whose text columns and labels differ, with one process that is given all
// files.
#include <fmt/format.h>

#include <filesystem>
#include <random>

#include "federation.h"

namespace pollen {
namespace {

const char* const kModel = R"(
seed = 11
[model]
kind = "softmax"
[run]
iterations = 400
burn_in = 0
chains = 2
[sampler]
name = "qlsd++"
step = 0.001
batch = 4
refresh = 10
)";

// Makes the rows of a file. The second file has another order of columns, and the third another order of levels.
std::string rows(int file, int count) {
  const Words towns[] = {{"Ulm", "Bonn"}, {"Bonn", "Kiel", "Aachen"}, {"Ulm", "Zeitz"}};
  // The second file has no "mid".
  const Words labels[] = {{"low", "mid", "high"}, {"high", "low"}, {"mid", "high", "low"}};
  std::string text = file == 1 ? "town,y,dose,age\n" : "age,dose,town,y\n";
  for (int i = 0; i < count; ++i) {
    const double age = 20 + 7 * ((i * 5 + file) % 9), dose = 0.25 * ((i * 3 + 2 * file) % 7);
    const std::string& town = towns[file][static_cast<std::size_t>(i * 7 / 3) % towns[file].size()];
    const std::string& label = labels[file][static_cast<std::size_t>(i) % labels[file].size()];
    text += file == 1 ? fmt::format("{},{},{},{}\n", town, label, dose, age)
                      : fmt::format("{},{},{},{}\n", age, dose, town, label);
  }
  return text;
}

class OwnData : public FederationTest {
 protected:
  OwnData() {
    for (int i = 0; i < 3; ++i) put(fmt::format("d{}.csv", i), rows(i, 21 + 6 * i));
    put("run.toml", fmt::format("{}[data]\nsource = [\"d0.csv\", \"d1.csv\", \"d2.csv\"]\npartition = \"given\"\n"
                                "target = \"y\"\n",
                                kModel));
    put("a.toml", fmt::format("{}[data]\ntarget = \"y\"\n[federation]\nexpect = [\"c0\", \"c1\", \"c2\"]\n", kModel));
  }
};

TEST_F(OwnData, LeavesTheDrawsOfGivenParts) {
  simulate({}, "run.toml");
  Child server = serve({"--share-draws"});
  std::vector<Child> clients;
  for (int i = 2; i >= 0; --i)
    clients.push_back(
        join(i, port_of(server), {"--data", fmt::format("d{}.csv", i), "--out", fmt::format("shared{}", i)}));
  expect_done(server, clients);
  expect_same_draws();
  // What the server knows, without having seen any row, is enough to predict new rows.
  EXPECT_EQ(slurp("together/encoder.json"), slurp("alone/encoder.json"));
  put("new.csv", "dose,town,age\n0.5,Zeitz,48\n1,Aachen,27\n");
  for (int i = 0; i < 3; ++i) std::filesystem::remove(path(fmt::format("d{}.csv", i)));
  const Outcome predicted = run({"predict", "together", "--data", "new.csv"});
  EXPECT_EQ(predicted.code, 0) << predicted.err;
  EXPECT_EQ(predicted.out, run({"predict", "alone", "--data", "new.csv"}).out);
  // So is what a client was given with the draws.
  const Outcome shared = run({"predict", "shared1", "--data", "new.csv"});
  EXPECT_EQ(shared.code, 0) << shared.err;
  EXPECT_EQ(shared.out, predicted.out);
}

// Processes are killed while they still agree on columns, levels and scaling, or have just begun.
TEST_F(OwnData, SetUpSurvivesKills) {
  simulate({}, "run.toml");
  std::mt19937 random(3);
  const auto any = [&](int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); };
  for (int trial = 0; trial < 15 && !HasFailure(); ++trial) {
    for (const char* name : {"together", "hub", "s0", "s1", "s2"}) std::filesystem::remove_all(path(name));
    Child server = serve();
    const std::string listen = fmt::format("127.0.0.1:{}", port_of(server));
    const auto come = [&](int i) { return join(i, port_of(server), {"--data", fmt::format("d{}.csv", i)}); };
    std::vector<Child> clients;
    for (int i = 0; i < 3; ++i) clients.push_back(come(i));
    for (int kill = 0; kill < 3; ++kill) {
      await(0.001 * any(70), [] { return false; });
      if (!server.running()) break;  // it finished too fast to be killed
      const int who = any(4);
      if (who == 3) {
        server.kill();
        server = serve({}, listen);
      } else if (clients[static_cast<std::size_t>(who)].running()) {
        clients[static_cast<std::size_t>(who)].kill();
        clients[static_cast<std::size_t>(who)] = come(who);
      }
    }
    expect_done(server, clients);
    expect_same_draws();
  }
}

// If columns do not fit together, the server says whose, and nobody is left waiting.
TEST_F(OwnData, ThatDoNotFitAreSentAway) {
  put("odd.csv", "age,weight,town,y\n20,3,Ulm,low\n30,4,Bonn,high\n");
  Child server = serve();
  std::vector<Child> clients;
  for (int i = 0; i < 3; ++i)
    clients.push_back(join(i, port_of(server), {"--data", i == 1 ? "odd.csv" : fmt::format("d{}.csv", i)}));
  EXPECT_EQ(clients[1].wait(kPatience), 1) << clients[1].err();
  expect_has(clients[1].err(), "weight");
  expect_has(server.err(), "c1");
  clients[1] = join(1, port_of(server), {"--data", "d1.csv"});  // joins again with the right file
  expect_done(server, clients);
}

}  // namespace
}  // namespace pollen
