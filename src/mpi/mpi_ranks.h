// Sends and receives frames over MPI. All messages are point to point, without collectives, so that an error can name
// the rank that is late or gone. Not thread-safe: only the thread that made the object may use it.
//
// A waiting rank spins for a moment where every rank has a core, and then sleeps, so an idle rank costs almost nothing.
// A rank notices that a rank on the same machine has died while it waits for it. For ranks on other machines mpirun
// notices, and ends the job.
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
  ~MpiRanks() override;  // ends the job together with all other ranks
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
  bool test_sent();  // returns whether all sent frames have been taken
  void introduce();  // learns each rank's host and process
  MPI_Message probe(int from, int& bytes);
  void pause(Clock::time_point since);
  void check_alive();

  int rank_ = 0, size_ = 1;
  std::vector<pid_t> neighbours_;  // per rank: its process id if it runs on this machine, otherwise 0
  std::chrono::microseconds spin_{20};
  std::list<Outgoing> outgoing_;
  std::vector<Bytes> memory_;  // buffers of frames already sent, kept for reuse
  Clock::time_point looked_;
  bool lost_ = false;
};

}  // namespace pollen::mpi
