// Measures how many rounds per second a bare gRPC stream makes between processes:
//   federation_ping CLIENTS TURNS DOWN UP [KEYS]
// In every turn the server sends DOWN bytes to each of CLIENTS processes on loopback, and goes on when each has
// answered with UP bytes. KEYS is a folder of `pollen keys` for mutual TLS with the server localhost and the clients
// c0, c1, ... Prints the turns per second of the last nine tenths. Nothing is encoded, computed or written, and the
// thread that hears the last answer sends the next turn.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "base/file.h"
#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"

namespace pollen::bench {
namespace {

using Clock = std::chrono::steady_clock;

std::optional<TlsTexts> keys_of(const std::string& folder, const std::string& name) {
  if (folder.empty()) return std::nullopt;
  return TlsTexts{read_text(folder + "/ca.pem"), read_text(folder + "/" + name + ".pem"),
                  read_text(folder + "/" + name + ".key")};
}

// The server. A connection has answered when its read and its write of a turn are both over.
class Ping final : public v1::Federation::WithRawCallbackMethod_Join<v1::Federation::Service> {
 public:
  Ping(std::size_t clients, int turns, std::size_t down)
      : clients_(clients), turns_(turns), frame_(std::make_shared<const Bytes>(down, std::uint8_t{7})) {}

  class Connection final : public grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
   public:
    explicit Connection(Ping& ping) : ping_(ping) { StartRead(&incoming_); }
    void send(const Frame& frame) {
      cut(frame, 0, outgoing_);
      StartWrite(&outgoing_);
      StartRead(&incoming_);
    }
    void end() { Finish(grpc::Status::OK); }
    void OnReadDone(bool ok) override {
      if (!ok) return;
      v1::Chunk chunk;
      if (!grpc::SerializationTraits<v1::Chunk>::Deserialize(&incoming_, &chunk).ok()) std::abort();
      ping_.heard(*this);
    }
    void OnWriteDone(bool) override { ping_.heard(*this); }
    void OnDone() override { delete this; }

   private:
    Ping& ping_;
    grpc::ByteBuffer incoming_, outgoing_;
  };

  grpc::ServerBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer>* Join(grpc::CallbackServerContext*) override {
    return new Connection(*this);
  }

  double turns_per_second() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return turn_ > turns_; });
    return (turns_ - turns_ / 10) / std::chrono::duration<double>(Clock::now() - start_).count();
  }

 private:
  // The first message of every client says that it is there; after that a turn has two events per client.
  void heard(Connection& connection) {
    {
      const std::lock_guard lock(mutex_);
      if (turn_ == 0) all_.push_back(&connection);
      if (++events_ < (turn_ == 0 ? clients_ : 2 * clients_)) return;
      events_ = 0;
      if (++turn_ == turns_ / 10 + 1) start_ = Clock::now();
      if (turn_ > turns_) changed_.notify_one();
    }
    for (Connection* each : all_) turn_ > turns_ ? each->end() : each->send(frame_);
  }

  std::size_t clients_, events_ = 0;
  int turns_, turn_ = 0;
  Frame frame_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Connection*> all_;
  Clock::time_point start_;
};

void answer(const std::string& address, const std::optional<TlsTexts>& tls, std::size_t up) {
  silence_library();
  const auto channel = grpc::CreateCustomChannel(address, client_credentials(tls), client_arguments());
  const auto stub = v1::Federation::NewStub(channel);
  grpc::ClientContext context;
  context.set_wait_for_ready(true);
  const auto stream = stub->Join(&context);
  v1::Chunk incoming, outgoing;
  cut(Bytes(up, 7), 0, outgoing);
  stream->Write(outgoing);
  while (stream->Read(&incoming)) stream->Write(outgoing);
}

int main(int argc, char** argv) {
  if (argc != 5 && argc != 6) return fmt::print(stderr, "usage: federation_ping CLIENTS TURNS DOWN UP [KEYS]\n"), 2;
  const int clients = std::atoi(argv[1]), turns = std::atoi(argv[2]);
  const auto down = static_cast<std::size_t>(std::atoll(argv[3])), up = static_cast<std::size_t>(std::atoll(argv[4]));
  const std::string keys = argc == 6 ? argv[5] : "";
  int port[2];
  if (::pipe(port) != 0) return 1;
  std::vector<pid_t> children;
  for (int i = 0; i < clients; ++i) {
    children.push_back(::fork());  // must come before gRPC starts threads
    if (children.back() != 0) continue;
    int number = 0;
    if (::read(port[0], &number, sizeof number) != sizeof number) ::_exit(1);
    answer(fmt::format("localhost:{}", number), keys_of(keys, fmt::format("c{}", i)), up);
    ::_exit(0);
  }
  silence_library();
  Ping ping(static_cast<std::size_t>(clients), turns, down);
  grpc::ServerBuilder builder;
  int number = 0;
  set_keepalive(builder);
  builder.AddListeningPort("localhost:0", server_credentials(keys_of(keys, "localhost")), &number);
  builder.RegisterService(&ping);
  const auto server = builder.BuildAndStart();
  for (int i = 0; i < clients; ++i)
    if (::write(port[1], &number, sizeof number) != sizeof number) return 1;
  fmt::print("{:.1f}\n", ping.turns_per_second());
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  server->Shutdown();
  return 0;
}

}  // namespace
}  // namespace pollen::bench

int main(int argc, char** argv) { return pollen::bench::main(argc, argv); }
