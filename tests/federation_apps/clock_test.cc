// The wall clocks of all processes jump back and forth by hours while connections break, and no wait depends on them.
#include <fmt/format.h>

#include <fstream>

#include "federation.h"
#include "support/source_dir.h"

namespace pollen {
namespace {

class Clock : public FederationTest {
 protected:
  void jump(std::int64_t seconds) const {
    std::fstream file(path("clock"), std::ios::in | std::ios::out | std::ios::binary);
    file.write(reinterpret_cast<const char*>(&seconds), sizeof(seconds));
  }
  static std::string preloaded() {
    return fmt::format("LD_PRELOAD={}/tests/federation_apps/libclock_shim.so", build_dir());
  }
  Child start_shifted(const Words& arguments, const std::string& log) const {
    Words words = {preloaded(), fmt::format("POLLEN_CLOCK={}", path("clock")), pollen_program()};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return Child("/usr/bin/env", words, folder_, path(log));
  }
};

TEST_F(Clock, MayJump) {
  put("clock", std::string(8, '\0'));
  jump(400 * 86400);
  const Outcome date =
      run_program("/usr/bin/env", {preloaded(), fmt::format("POLLEN_CLOCK={}", path("clock")), "date", "+%s"});
  if (date.code != 0 || std::atoll(date.out.c_str()) < ::time(nullptr) + 399 * 86400)
    GTEST_SKIP() << "the clock of a program cannot be moved here";
  const Words keys = {"--set", "sampler.name=qlsd++", "--set", "run.iterations=1500"};
  simulate(keys);
  jump(0);
  Child server = start_shifted(serve_words(keys), "server");
  ASSERT_TRUE(await(kPatience, [&] { return port_of(server) > 0; })) << server.err();
  const int port = port_of(server);
  std::vector<Child> clients;
  for (int i = 0; i < 5; ++i) clients.push_back(start_shifted(join_words(i, port, keys), fmt::format("c{}", i)));
  const std::int64_t hour = 3600;
  for (const std::int64_t to : {hour, -hour, 26 * hour, std::int64_t{0}, -100 * hour, 5 * hour}) {
    const std::int64_t before = spool_bytes();
    ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > before + 500; })) << server.err() << news(clients);
    jump(to);
    clients[1].kill();
    clients[1] = start_shifted(join_words(1, port, keys), "c1");
  }
  // The clocks also jump while clients look for a server that is not there.
  server.kill();
  ASSERT_TRUE(await(kPatience, [&] { return clients[0].err().find("trying again") != std::string::npos; }));
  jump(-30 * hour);
  Child again = start_shifted(serve_words(keys, fmt::format("127.0.0.1:{}", port)), "server");
  expect_done(again, clients);
  expect_same_draws();
}

}  // namespace
}  // namespace pollen
