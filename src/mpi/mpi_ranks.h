// Frames over MPI, point to point: no collective, so that a rank that is late or gone is noticed by name.
//
// Waiting spins for a moment, where every rank has a core, and then sleeps: an idle rank costs next to nothing. A rank
// of this machine that has died is noticed while waiting for it; of other machines mpirun knows, and ends the job.
#pragma once

#include <mpi.h>
#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <list>
#include <vector>

#include "ranks/ranks.h"

namespace pollen::mpi {

class MpiRanks final : public Ranks {
 public:
  MpiRanks();
  ~MpiRanks() override;  // the job's end, for all ranks together
  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void send(int to, ByteView frame) override { post({to}, frame); }
  void send_all(ByteView frame) override;
  void receive(int from, Bytes& frame) override;

 private:
  struct Outgoing {
    Bytes bytes;
    std::vector<MPI_Request> requests;
  };
  using Clock = std::chrono::steady_clock;

  void post(const std::vector<int>& to, ByteView frame);
  Bytes take_memory();
  bool test_sent();  // whether all has been taken
  void introduce();  // who is where
  MPI_Message probe(int from, int& bytes);
  void pause(Clock::time_point since);
  void check_alive();

  int rank_ = 0, size_ = 1;
  std::vector<pid_t> neighbours_;  // by rank: its process on this machine; 0 elsewhere
  std::chrono::microseconds spin_{20};
  std::list<Outgoing> outgoing_;
  std::vector<Bytes> memory_;  // of what was sent
  Clock::time_point looked_;
  bool lost_ = false;
};

}  // namespace pollen::mpi
