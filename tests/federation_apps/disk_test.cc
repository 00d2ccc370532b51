// A full disk gives an error that names the file, and the same chain continues once there is room again.
#include <fmt/format.h>
#include <sys/mount.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "federation.h"

namespace pollen {
namespace {

class FullDisk : public FederationTest {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "a small disk can be mounted by root only";
    std::filesystem::create_directory(path("small"));
    mounted_ = ::mount("tmpfs", path("small").c_str(), "tmpfs", 0, "size=4m") == 0;
    if (!mounted_) GTEST_SKIP() << "a tmpfs cannot be mounted here";
  }
  void TearDown() override {
    if (mounted_) ::umount2(path("small").c_str(), MNT_DETACH);
  }
  // Redirects a folder to the small disk.
  void place(const std::string& name) const {
    std::filesystem::create_directory(path(fmt::format("small/{}", name)));
    std::filesystem::create_symlink(fmt::format("small/{}", name), path(name));
  }
  // Fills the disk to the last byte repeatedly, because a file that is replaced frees some space.
  bool fill_until_gone(Child& child) const {
    return await(kPatience, [&] {
      std::ofstream out(path("small/filler"), std::ios::app | std::ios::binary);
      const std::string page(4096, 'x');
      while (out.write(page.data(), 4096) && out.flush()) {
      }
      return !child.running();
    });
  }
  void make_room() const { std::filesystem::remove(path("small/filler")); }

  Words keys_ = {"--set", "sampler.name=qlsd++", "--set", "run.iterations=1500"};
  bool mounted_ = false;
};

TEST_F(FullDisk, OfAClient) {
  simulate(keys_);
  place("s0");
  Child server = serve(keys_);
  std::vector<Child> clients = join_all(port_of(server), 5, keys_);
  ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > 1000; })) << server.err();
  ASSERT_TRUE(fill_until_gone(clients[0])) << "it does not notice";
  EXPECT_EQ(clients[0].wait(1), 1) << clients[0].err();
  expect_has(clients[0].err(), "s0/run-");
  expect_has(clients[0].err(), "No space left on device");
  EXPECT_TRUE(server.running());
  make_room();
  clients[0] = join(0, port_of(server), keys_);
  expect_done(server, clients);
  expect_same_draws();
}

TEST_F(FullDisk, OfTheServer) {
  simulate(keys_);
  place("together");
  place("hub");
  Child server = serve(keys_);
  const int port = port_of(server);
  std::vector<Child> clients = join_all(port, 5, keys_);
  ASSERT_TRUE(await(kPatience, [&] { return spool_bytes() > 1000; })) << server.err();
  ASSERT_TRUE(fill_until_gone(server)) << "it does not notice";
  EXPECT_EQ(server.wait(1), 1) << server.err();
  expect_has(server.err(), "No space left on device");
  const std::string said = server.err();
  EXPECT_TRUE(said.find("together/") != std::string::npos || said.find("hub/") != std::string::npos) << said;
  make_room();
  for (Child& client : clients) EXPECT_TRUE(client.running()) << client.err();
  Child again = serve(keys_, fmt::format("127.0.0.1:{}", port));
  expect_done(again, clients);
  expect_same_draws();
}

}  // namespace
}  // namespace pollen
