// Several processes that share the clients of one run (docs/cluster.md): rank 0 is the server and holds the first
// clients, the others hold theirs and answer. Everything between them travels as frames of bytes.
//
// Which rank holds a client changes no draw: sums are taken over the blocks of block_size_for(), in client order, and a
// block whose clients are on two ranks is passed on from one to the next.
#pragma once

#include <memory>
#include <string>

#include "round/client_range.h"

namespace pollen {

// What carries frames: MPI, or queues in a test. Frames from one rank to another arrive in the order they were sent.
// One thread of a process uses it.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, ByteView frame) = 0;     // does not wait for the receiver
  virtual void send_all(ByteView frame) = 0;         // to every other rank
  virtual void receive(int from, Bytes& frame) = 0;  // waits; IoError where that rank is gone
};

// The clients of a rank: equal shares to within one client; or, where the replies of a block would be too many numbers
// to be kept (`numbers` each), to within one block. Ranks beyond the clients have none.
ClientRange client_range(int rank, int size, Index clients, Index numbers);

// At rank 0, around everything that uses the ranks: the others are let go at the end, however it comes.
class RanksAtWork {
 public:
  explicit RanksAtWork(Ranks& ranks) : ranks_(ranks) {}
  ~RanksAtWork();
  RanksAtWork(const RanksAtWork&) = delete;
  RanksAtWork& operator=(const RanksAtWork&) = delete;

 private:
  Ranks& ranks_;
};

// How this process was started: 1 unless by mpirun, or srun with PMIx.
struct Launch {
  int size = 1, rank = 0;
};
Launch launch();

std::string mpi_module();  // the file of the module over MPI; empty where this build has none

// The ranks of the job, by that module: all processes of it call this. ConfigError where there is no module. To be kept
// until the process ends.
std::unique_ptr<Ranks> open_ranks();

}  // namespace pollen
