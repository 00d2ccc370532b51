// Tests a warm-up in the program: it is shown, and a run that is stopped in it can be resumed.
#include <fmt/format.h>
#include <signal.h>

#include "child.h"
#include "program.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

constexpr const char* kNetwork = R"(seed = 1
[model]
kind = "mlp"
sizes = [4]
activation = "tanh"
[data]
source = "titanic"
clients = 5
[warm_up]
epochs = 2000
batch = 16
[sampler]
name = "qlsd++"
batch = 16
step = 1e-3
[run]
iterations = 200
chains = 2
)";

class WarmUp : public ProgramTest {
 protected:
  WarmUp() { put("a.toml", kNetwork); }
};

TEST_F(WarmUp, StoppedAndGoneOnWithGivesTheSameDraws) {
  Child first(pollen_program(), {"run", "a.toml", "--out", "parts"}, folder_, path("log"));
  ASSERT_TRUE(await(30, [&] { return first.err().find("warming up: ") != std::string::npos; })) << first.err();
  first.send(SIGINT);
  EXPECT_EQ(first.wait(30), 130);
  EXPECT_NE(first.err().find(" steps of gradient descent"), std::string::npos) << first.err();
  EXPECT_NE(first.err().find("stopped before the first iteration"), std::string::npos) << first.err();
  const Outcome resumed = run({"run", "--resume", "--out", "parts"});
  ASSERT_EQ(resumed.code, 0) << resumed.err;
  EXPECT_NE(resumed.err.find("pollen: 100%, 46000 of 46000 steps"), std::string::npos) << resumed.err;
  const Outcome whole = run({"run", "a.toml", "--quiet", "--out", "whole"});
  ASSERT_EQ(whole.code, 0);
  EXPECT_EQ(whole.err, "");
  for (int chain = 1; chain <= 2; ++chain) {
    const std::string name = fmt::format("/draws-{}.csv", chain);
    EXPECT_FALSE(slurp("whole" + name).empty());
    EXPECT_EQ(slurp("whole" + name), slurp("parts" + name)) << name;
  }
}

}  // namespace
}  // namespace pollen
