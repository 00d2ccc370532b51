// Ranks are processes that share the clients of one run (docs/cluster.md). Rank 0 is the server and has the first
// clients; the others have the remaining clients and answer rank 0. All messages between ranks are frames of bytes.
//
// The draws do not depend on which rank has a client. Sums are taken over the blocks of block_size_for(), in client
// order, and the sum of a block with clients on several ranks is passed on from one rank to the next.
#pragma once

#include <memory>
#include <string>

#include "round/client_range.h"

namespace pollen {

// Carries frames between ranks: by MPI, or by queues in a test. Frames from one rank to another arrive in the order in
// which they were sent. Only one thread per process may use it.
class Ranks {
 public:
  virtual ~Ranks() = default;
  virtual int rank() const = 0;
  virtual int size() const = 0;
  virtual void send(int to, ByteView frame) = 0;     // does not wait for the receiver
  virtual void send_all(ByteView frame) = 0;         // to every other rank
  virtual void receive(int from, Bytes& frame) = 0;  // waits for a frame; IoError if that rank is gone
};

// Returns the clients of a rank. Shares are equal to within one client or, if the replies of a block (`numbers` numbers
// each) would be too large to be kept, to within one block. If there are more ranks than clients or blocks, some ranks
// have no clients.
ClientRange client_range(int rank, int size, Index clients, Index numbers);

// Rank 0 keeps one of these for as long as it uses the ranks. Its destructor ends the work of the other ranks, also
// after an error.
class RanksAtWork {
 public:
  explicit RanksAtWork(Ranks& ranks) : ranks_(ranks) {}
  ~RanksAtWork();
  RanksAtWork(const RanksAtWork&) = delete;
  RanksAtWork& operator=(const RanksAtWork&) = delete;

 private:
  Ranks& ranks_;
};

// How this process was started. The size is 1 unless mpirun, or srun with PMIx, started it.
struct Launch {
  int size = 1, rank = 0;
};
Launch launch();

std::string mpi_module();  // the file of the MPI module; empty if this build has none

// Opens the ranks of the job with the MPI module. All processes of the job call it and keep the result until they end.
// ConfigError if there is no module.
std::unique_ptr<Ranks> open_ranks();

}  // namespace pollen
