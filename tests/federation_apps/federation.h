// A federation of real processes on this machine, in a folder of its own.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "apps/child.h"
#include "support/federated.h"

namespace pollen {

class FederationTest : public ProgramTest {
 protected:
  static constexpr double kPatience = 60;  // in seconds, for what takes one second on an idle machine

  FederationTest();

  // Leaves the draws of `pollen run` in "alone".
  void simulate(const Words& more = {}, const std::string& config = "a.toml");
  Child start(const Words& arguments, const std::string& log) const;
  Words serve_words(const Words& more = {}, const std::string& listen = "127.0.0.1:0") const;
  Words join_words(int client, int port, const Words& more = {}) const;

  // Reads the port from "listening at ...:PORT" of the latest start; 0 if it never came.
  static int port_of(const Child& server);
  Child serve(const Words& more = {}, const std::string& listen = "127.0.0.1:0") const;
  Child join(int client, int port, const Words& more = {}) const;
  std::vector<Child> join_all(int port, int clients = 5, const Words& more = {}) const;

  // Expects everybody to exit with 0, and `together` to have the draws of `alone`.
  void expect_done(Child& server, std::vector<Child>& clients) const;
  void expect_same_draws(const std::string& alone = "alone", const std::string& together = "together",
                         int chains = 2) const;
  std::int64_t spool_bytes() const;  // shows how far the server has come
  std::string news(const std::vector<Child>& clients) const;
};

void expect_has(const std::string& text, const std::string& words);

}  // namespace pollen
