#include "federation.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>

#include "support/source_dir.h"

namespace pollen {

void expect_has(const std::string& text, const std::string& words) {
  EXPECT_NE(text.find(words), std::string::npos) << "no \"" << words << "\" in\n" << text;
}

// Uses a folder in memory, because every round waits for several disks. A kill does not lose what was written there.
FederationTest::FederationTest() : ProgramTest(::access("/dev/shm", W_OK) == 0 ? "/dev/shm/" : testing::TempDir()) {
  put("a.toml", kFederated);
}

Child FederationTest::start(const Words& arguments, const std::string& log) const {
  return Child(pollen_program(), arguments, folder_, path(log));
}

void FederationTest::simulate(const Words& more, const std::string& config) {
  Words words = {"run", config, "--quiet", "--out", "alone", "--set", "run.coupled=true", "--set", "output.lp=false"};
  words.insert(words.end(), more.begin(), more.end());
  const Outcome outcome = run(words);
  ASSERT_EQ(outcome.code, 0) << outcome.err;
}

Words FederationTest::serve_words(const Words& more, const std::string& listen) const {
  Words words = {"serve", "a.toml", "--listen", listen, "--out", "together", "--state", "hub", "--shared-seed"};
  words.insert(words.end(), more.begin(), more.end());
  if (std::find(more.begin(), more.end(), "--cert") == more.end()) words.emplace_back("--insecure");
  return words;
}

Words FederationTest::join_words(int client, int port, const Words& more) const {
  Words words = {"join",         "--server", fmt::format("127.0.0.1:{}", port), "--state", fmt::format("s{}", client),
                 "--shared-seed"};
  const auto has = [&](const char* word) { return std::find(more.begin(), more.end(), word) != more.end(); };
  if (!has("--data")) words.insert(words.end(), {"--config", "a.toml", "--client", fmt::format("{}", client)});
  if (!has("--cert")) words.insert(words.end(), {"--insecure", "--name", fmt::format("c{}", client)});
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

int FederationTest::port_of(const Child& server) {
  const std::string mark = "listening at ", text = server.err();
  const std::size_t at = text.rfind(mark);
  if (at == std::string::npos) return 0;
  const std::size_t colon = text.find(':', at + mark.size());
  if (colon == std::string::npos || text.find('\n', colon) == std::string::npos) return 0;
  return std::stoi(text.substr(colon + 1));
}

Child FederationTest::serve(const Words& more, const std::string& listen) const {
  std::filesystem::remove(path("server.err"));
  Child server = start(serve_words(more, listen), "server");
  EXPECT_TRUE(await(kPatience, [&] { return port_of(server) > 0 || !server.running(); }));
  EXPECT_GT(port_of(server), 0) << server.err();
  return server;
}

Child FederationTest::join(int client, int port, const Words& more) const {
  return start(join_words(client, port, more), fmt::format("c{}", client));
}

std::vector<Child> FederationTest::join_all(int port, int clients, const Words& more) const {
  std::vector<Child> all;
  for (int i = 0; i < clients; ++i) all.push_back(join(i, port, more));
  return all;
}

std::string FederationTest::news(const std::vector<Child>& clients) const {
  std::string text;
  for (const Child& client : clients) text += fmt::format("---\n{}", client.err());
  return text;
}

void FederationTest::expect_done(Child& server, std::vector<Child>& clients) const {
  EXPECT_EQ(server.wait(kPatience), 0) << server.err() << news(clients);
  for (Child& client : clients) EXPECT_EQ(client.wait(kPatience), 0) << client.err();
}

void FederationTest::expect_same_draws(const std::string& alone, const std::string& together, int chains) const {
  for (int chain = 1; chain <= chains; ++chain) {
    const std::string name = fmt::format("/draws-{}.csv", chain);
    EXPECT_FALSE(slurp(alone + name).empty());
    EXPECT_TRUE(slurp(alone + name) == slurp(together + name)) << name << " differs";
  }
}

std::int64_t FederationTest::spool_bytes() const {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path("together/draws.spool"), error);
  return error ? 0 : static_cast<std::int64_t>(bytes);
}

}  // namespace pollen
