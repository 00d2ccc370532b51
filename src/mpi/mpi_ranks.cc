// Sends and receives frames over MPI. All messages are point to point, without collectives, so that an error can name
// the rank that is late or gone. Not thread-safe: only the thread that made the object may use it.
//
// A waiting rank spins for a moment where every rank has a core, and then sleeps, so an idle rank costs almost nothing.
// A rank notices that a rank on the same machine has died while it waits for it. For ranks on other machines mpirun
// notices, and ends the job.
#include <fmt/format.h>
#include <mpi.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <list>
#include <thread>
#include <vector>

#include "pollen/errors.h"
#include "ranks/ranks.h"

namespace pollen::mpi {

namespace {

constexpr int kTag = 1;
// A longer frame is sent in several pieces. A piece shorter than this ends the frame.
constexpr std::size_t kPiece = std::size_t{1} << 30;
constexpr auto kLook = std::chrono::milliseconds(100);

int local_ranks(int all) {
  const char* value = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  const int n = value == nullptr ? 0 : std::atoi(value);
  return n > 0 ? n : all;
}

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
  void check_lost() const {
    if (lost_) throw IoError("a rank has died: no frame can be sent or received");
  }

  int rank_ = 0, size_ = 1;
  std::vector<pid_t> neighbours_;  // per rank: its process id if it runs on this machine, otherwise 0
  std::chrono::microseconds spin_{20};
  std::list<Outgoing> outgoing_;
  std::vector<Bytes> memory_;  // buffers of frames already sent, kept for reuse
  Clock::time_point looked_;
  bool lost_ = false;
};

bool is_gone(pid_t process) { return ::kill(process, 0) != 0 && errno == ESRCH; }

MpiRanks::MpiRanks() {
  int provided = 0;
  MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  ::prctl(PR_SET_TIMERSLACK, 1000, 0, 0, 0);  // lets short sleeps end on time
  if (local_ranks(size_) <= static_cast<int>(std::thread::hardware_concurrency())) spin_ = std::chrono::milliseconds(5);
  introduce();
}

void MpiRanks::introduce() {
  struct Card {
    std::array<char, 256> host{};
    std::int64_t process = 0;
  };
  Card mine;
  ::gethostname(mine.host.data(), mine.host.size() - 1);
  mine.process = ::getpid();
  std::vector<Card> all(static_cast<std::size_t>(size_));
  MPI_Allgather(&mine, sizeof(Card), MPI_BYTE, all.data(), sizeof(Card), MPI_BYTE, MPI_COMM_WORLD);
  for (const Card& card : all) {
    const auto process = static_cast<pid_t>(card.process);
    // False also for a rank in a container of its own, whose process cannot be seen.
    const bool here = card.host == mine.host && !is_gone(process);
    neighbours_.push_back(here ? process : 0);
  }
}

MpiRanks::~MpiRanks() {
  if (lost_) return;  // a rank has died, and mpirun ends the others
  while (!test_sent()) std::this_thread::sleep_for(std::chrono::microseconds(50));
  MPI_Finalize();
}

void MpiRanks::send_all(ByteView frame) {
  std::vector<int> others;
  for (int r = 0; r < size_; ++r)
    if (r != rank_) others.push_back(r);
  post(others, frame);
}

Bytes MpiRanks::take_memory() {
  if (memory_.empty()) return {};
  Bytes memory = std::move(memory_.back());
  memory_.pop_back();
  return memory;
}

void MpiRanks::post(const std::vector<int>& to, ByteView frame) {
  check_lost();
  test_sent();
  Outgoing& out = outgoing_.emplace_back();
  out.bytes = take_memory();
  out.bytes.assign(frame.begin(), frame.end());
  for (std::size_t at = 0; at <= out.bytes.size(); at += kPiece) {
    const std::size_t n = std::min(kPiece, out.bytes.size() - at);
    for (const int r : to)
      MPI_Isend(out.bytes.data() + at, static_cast<int>(n), MPI_BYTE, r, kTag, MPI_COMM_WORLD,
                &out.requests.emplace_back());
  }
}

bool MpiRanks::test_sent() {
  constexpr std::size_t kKept = 4;
  for (auto out = outgoing_.begin(); out != outgoing_.end();) {
    int done = 0;
    MPI_Testall(static_cast<int>(out->requests.size()), out->requests.data(), &done, MPI_STATUSES_IGNORE);
    if (done == 0) {
      ++out;
      continue;
    }
    if (memory_.size() < kKept) memory_.push_back(std::move(out->bytes));
    out = outgoing_.erase(out);
  }
  return outgoing_.empty();
}

void MpiRanks::receive(int from, Bytes& frame) {
  check_lost();
  std::size_t at = 0;
  int bytes = 0;
  do {
    MPI_Message message = probe(from, bytes);
    const auto n = static_cast<std::size_t>(bytes);
    frame.resize(at + n);
    MPI_Mrecv(frame.data() + at, bytes, MPI_BYTE, &message, MPI_STATUS_IGNORE);
    at += n;
  } while (static_cast<std::size_t>(bytes) == kPiece);
}

MPI_Message MpiRanks::probe(int from, int& bytes) {
  const auto since = Clock::now();
  while (true) {
    int there = 0;
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    MPI_Improbe(from, kTag, MPI_COMM_WORLD, &there, &message, &status);
    if (there != 0) {
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      return message;
    }
    pause(since);
  }
}

void MpiRanks::pause(Clock::time_point since) {
  const auto now = Clock::now();
  const auto waited = now - since;
  if (waited < spin_) return;
  test_sent();  // pending messages make progress only inside MPI calls
  if (now - looked_ > kLook) check_alive();
  std::this_thread::sleep_for(
      std::clamp<Clock::duration>(waited / 8, std::chrono::microseconds(20), std::chrono::milliseconds(1)));
}

// Throws if another rank on this machine has died. Only one rank reports a death: rank 0 watches all others, and rank 1
// watches rank 0. The remaining ranks end with the job.
void MpiRanks::check_alive() {
  looked_ = Clock::now();
  const int first = rank_ == 0 ? 1 : 0, last = rank_ == 0 ? size_ : rank_ == 1 ? 1 : 0;
  for (int r = first; r < last; ++r) {
    const pid_t process = neighbours_[static_cast<std::size_t>(r)];
    if (process == 0 || !is_gone(process)) continue;
    lost_ = true;
    throw IoError(
        fmt::format("rank {} (process {}) has died; the last checkpoint and the draws up to it are kept, and "
                    "--resume goes on from there, with any number of ranks",
                    r, process));
  }
}

}  // namespace

}  // namespace pollen::mpi

// The one symbol that this module exports. The program opens the module at run time and calls it.
extern "C" pollen::Ranks* pollen_open_ranks() { return new pollen::mpi::MpiRanks(); }
