// Simulates a bad network between clients and their server: a TCP relay in a thread of the test that delays, throttles
// and cuts. It needs no privileges, and clients keep one address while servers come and go behind it.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <list>
#include <mutex>
#include <random>
#include <string>
#include <thread>

namespace pollen {

struct Weather {
  int cut = 0;                        // per thousand pieces: the connection ends, half of the time abruptly
  int delay = 0;                      // per thousand pieces: waits at most
  int most_milliseconds = 0;          // this long, together with everything behind it
  std::size_t bytes_per_look = 4096;  // bytes passed on per side at once, which throttles long messages
};

class Relay {
 public:
  explicit Relay(Weather weather, unsigned seed);
  ~Relay();
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  int port() const { return port_; }
  void aim(int server_port) { target_ = server_port; }
  void calm() { calm_ = true; }                  // stops all faults
  void cut(bool all) { wanted_ = all ? 2 : 1; }  // cuts one connection, or all
  int cuts() const { return cuts_; }
  int delays() const { return delays_; }

 private:
  using Clock = std::chrono::steady_clock;
  struct Piece {
    std::string bytes;
    Clock::time_point due;
  };
  struct Side {
    int socket = -1;
    std::deque<Piece> waiting = {};  // to be written to this side
    bool over = false;               // nothing more comes from this side
  };
  struct Pair {
    Side sides[2];
    bool broken = false;
  };
  void work();
  void accept_one();
  void take(Pair& pair, int from);
  void give(Side& to);
  void break_off(Pair& pair, bool rudely);
  void obey();
  int patience() const;
  bool strikes(int thousandths) { return !calm_ && static_cast<int>(random_() % 1000) < thousandths; }

  Weather weather_;
  std::mt19937 random_;
  int listener_ = -1, port_ = 0;
  std::list<Pair> pairs_;
  std::atomic<int> target_{0}, wanted_{0}, cuts_{0}, delays_{0};
  std::atomic<bool> calm_{false}, over_{false};
  std::thread thread_;
};

}  // namespace pollen
