// Measures large transfers: federation_transfer MEGABYTES CLIENTS TURNS. It sends a position to clients over mutual
// TLS, alternately through the federation's wires and through a bare gRPC stream of 1 MiB messages with the same keys.
// Prints MiB/s and their ratio.
#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <latch>
#include <thread>

#include "base/file.h"
#include "federation.grpc.pb.h"
#include "grpc/chunks.h"
#include "grpc/settings.h"
#include "grpc/wires.h"
#include "keys/keys.h"

namespace pollen::bench {
namespace {

using Clock = std::chrono::steady_clock;

double since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

TlsTexts texts(const std::string& folder, const std::string& name) {
  return {read_text(folder + "/ca.pem"), read_text(folder + "/" + name + ".pem"),
          read_text(folder + "/" + name + ".key")};
}

// Waits for `count` frames and returns which clients they came from.
std::vector<std::uint64_t> frames_of(Links& links, int count) {
  std::vector<std::uint64_t> from;
  while (static_cast<int>(from.size()) < count) {
    const auto event = links.next(Clock::now() + std::chrono::seconds(5));
    if (event && event->what == LinkEvent::What::frame) from.push_back(event->link);
  }
  return from;
}

double through_wires(const std::string& folder, std::size_t bytes, int clients) {
  const auto server = listen_at("localhost:0", texts(folder, "localhost"));
  const std::string address = fmt::format("localhost:{}", server->port());
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] {
      WireClient wire(address, texts(folder, "client"), nullptr);
      Bytes frame;
      if (!wire.connect(10) || !wire.write(Bytes(16)) || !wire.read(frame, 2 * bytes)) return;
      wire.write(Bytes(16));
      wire.read(frame, 16);  // reads until the server closes the connection
    });
  const std::vector<std::uint64_t> links = frames_of(server->links(), clients);
  const auto frame = std::make_shared<const Bytes>(bytes, std::uint8_t{7});
  const auto start = Clock::now();
  for (const std::uint64_t link : links) server->links().send(link, frame);
  frames_of(server->links(), clients);
  const double seconds = since(start);
  for (const std::uint64_t link : links) server->links().close(link);
  return seconds;
}

// The bare service. In each call the client says that it is ready, all start together, the data are sent 1 MiB at a
// time, and the client confirms that it has everything.
class Bare final : public v1::Federation::Service {
 public:
  Bare(std::size_t bytes, int clients) : bytes_(bytes), ready(clients), done(clients) {}
  grpc::Status Join(grpc::ServerContext*, grpc::ServerReaderWriter<v1::Chunk, v1::Chunk>* stream) override {
    v1::Chunk chunk;
    stream->Read(&chunk);
    ready.arrive_and_wait();
    chunk.set_data(std::string(kChunk, 'x'));
    for (std::size_t at = 0; at < bytes_; at += kChunk) stream->Write(chunk);
    stream->Read(&chunk);
    done.count_down();
    return grpc::Status::OK;
  }

 private:
  std::size_t bytes_;

 public:
  std::latch ready, done;
};

double bare(const std::string& folder, std::size_t bytes, int clients) {
  Bare service(bytes, clients);
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("localhost:0", server_credentials(texts(folder, "localhost")), &port);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  std::vector<std::jthread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&] {
      grpc::ChannelArguments arguments = client_arguments();
      arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
      const auto channel = grpc::CreateCustomChannel(fmt::format("localhost:{}", port),
                                                     client_credentials(texts(folder, "client")), arguments);
      const auto stub = v1::Federation::NewStub(channel);
      grpc::ClientContext context;
      context.set_wait_for_ready(true);
      const auto stream = stub->Join(&context);
      v1::Chunk chunk;
      stream->Write(chunk);
      for (std::size_t at = 0; at < bytes && stream->Read(&chunk);) at += chunk.data().size();
      stream->Write(v1::Chunk());
      stream->Read(&chunk);
      stream->Finish();
    });
  service.ready.wait();
  const auto start = Clock::now();
  service.done.wait();
  const double seconds = since(start);
  threads.clear();
  server->Shutdown();
  return seconds;
}

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: federation_transfer MEGABYTES CLIENTS TURNS\n"), 2;
  const std::size_t bytes = static_cast<std::size_t>(std::atoi(argv[1])) << 20;
  const int clients = std::atoi(argv[2]), turns = std::atoi(argv[3]);
  std::string folder = (std::filesystem::temp_directory_path() / "pollen-transfer-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const std::string keys = folder + "/keys";
  make_keys({.folder = keys, .server = "localhost", .clients = {"client"}});
  fmt::print("{} MiB to {} clients, mutual TLS, one machine; MiB/s in all\n{:>10} {:>10} {:>8}\n", argv[1], clients,
             "pollen", "bare", "ratio");
  const double total = static_cast<double>(bytes) * clients / 1048576;
  std::vector<double> ratios;
  for (int i = 0; i < turns; ++i) {
    const double ours = through_wires(keys, bytes, clients), theirs = bare(keys, bytes, clients);
    fmt::print("{:>10.0f} {:>10.0f} {:>8.2f}\n", total / ours, total / theirs, theirs / ours);
    ratios.push_back(theirs / ours);
  }
  std::ranges::sort(ratios);
  fmt::print("median ratio {:.2f}\n", ratios[ratios.size() / 2]);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace pollen::bench

int main(int argc, char** argv) { return pollen::bench::main(argc, argv); }
