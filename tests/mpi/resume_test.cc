// A job that was stopped, or lost a rank, continues with any number of ranks to the same draws.
#include <signal.h>

#include <filesystem>

#include "launch.h"

namespace pollen {
namespace {

// A run of few rounds that take some milliseconds each. The last round is seconds away when a signal is sent, and many
// ranks on few cores, which lose time in every round, still reach it.
const char* const kLasting = R"(seed = 1
[model]
kind = "logistic"
[data]
source = "synthetic-logistic"
clients = 5
dimension = 20
min_size = 20000
max_size = 20000
test_fraction = 0.0
[sampler]
name = "lsd"
step = 1e-6
[participation]
policy = "bernoulli"
probability = 0.7
[run]
iterations = 1200
burn_in = 0
chains = 3
[output]
lp = false
)";

class MpiResume : public MpiTest {
 protected:
  MpiResume() { put("a.toml", kLasting); }

  static Words words(const std::string& out, bool resume = false) {
    Words all = {"run", "a.toml", "--quiet", "--out", out, "--checkpoint-every", "0.05"};
    if (resume) all.push_back("--resume");
    return all;
  }
  // Returns true once there are draws beyond a checkpoint.
  bool sampling(const std::string& out) const {
    return exists(out + "/checkpoint") && std::filesystem::file_size(path(out + "/draws.spool")) > 5000;
  }
  int whole() const { return run(words("whole")).code; }
};

TEST_F(MpiResume, StoppedWithTwoRanksGoesOnWithFive) {
  ASSERT_EQ(whole(), 0);
  for (const int signal : {SIGTERM, SIGUSR1}) {
    const std::string out = signal == SIGTERM ? "terminated" : "forwarded";
    Child job = start(2, words(out), out);
    ASSERT_TRUE(await(60, [&] { return sampling(out); })) << job.err();
    job.send(signal);
    const auto code = job.wait(60);
    ASSERT_TRUE(code.has_value());
    EXPECT_NE(*code, 0);
    if (signal == SIGUSR1) {  // on SIGTERM mpirun ends by itself, which may cut off the last output
      EXPECT_EQ(*code, 130);
      EXPECT_NE(job.err().find("--resume"), std::string::npos) << job.err();
    }
    const Outcome outcome = mpi(5, words(out, true));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    expect_same_draws("whole", out, 3);
  }
}

TEST_F(MpiResume, AfterARankWasKilled) {
  ASSERT_EQ(whole(), 0);
  for (const int rank : {1, 0}) {
    const std::string out = rank == 0 ? "server" : "other";
    Child job = start(3, words(out), out);
    ASSERT_TRUE(await(60, [&] { return sampling(out); })) << job.err();
    const pid_t victim = process_of(rank);
    ASSERT_GT(victim, 0);
    ::kill(victim, SIGKILL);
    const auto code = job.wait(60);
    ASSERT_TRUE(code.has_value());
    EXPECT_EQ(*code, 128 + SIGKILL) << job.err();
    const Outcome outcome = rank == 0 ? run(words(out, true)) : mpi(2, words(out, true));
    ASSERT_EQ(outcome.code, 0) << outcome.err;
    expect_same_draws("whole", out, 3);
  }
}

}  // namespace
}  // namespace pollen
