// Measures the cost of a message: federation_load CLIENTS ROUNDS plain|tls. It runs a server with that many clients on
// loopback; the clients are simulated by another process. d = 10^4, qsgd with 16 levels. Prints what a message costs
// the server, and what decoding one costs.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <fstream>

#include "bare.h"
#include "base/file.h"
#include "fakes.h"
#include "keys/keys.h"
#include "math/math.h"
#include "run/experiment.h"
#include "usage.h"

namespace pollen::bench {
namespace {

constexpr Index kDimension = 10'000;
constexpr std::uint32_t kLevels = 16;

double wall() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

Bytes make_reply() {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = kLevels}, kDimension);
  std::vector<double> v(kDimension), decoded(kDimension);
  normals(make_stream(1, 0, Purpose::noise), v);
  Workspace work;
  Reply reply;
  reply.chains = {0};
  reply.gradients = 100;
  reply.joined = true;
  compressor->encode(v, make_stream(1, 0, Purpose::compress_up), decoded, &reply.payload, work.scratch);
  reply.offset = {0, reply.payload.size()};
  Bytes frame;
  wire::encode(reply, frame);
  return frame;
}

// Returns the processor time of reading a frame, decoding its vector and adding it up, which is what a simulation would
// do with it.
double decode_seconds(const Bytes& frame) {
  const auto compressor = make_compressor({.kind = "qsgd", .levels = kLevels}, kDimension);
  AlignedVector<double> decoded(kDimension), sum(kDimension);
  Workspace work;
  Reply reply;
  constexpr int kTimes = 5000;
  const std::clock_t start = std::clock();
  for (int i = 0; i < kTimes; ++i) {
    wire::decode(frame, reply);
    compressor->decode(reply.part(0), {decoded.data(), decoded.size()}, work.scratch);
    math::add({decoded.data(), decoded.size()}, {sum.data(), sum.size()});
  }
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC / kTimes;
}

TlsTexts texts(const std::string& folder, const std::string& name) {
  return {read_text(folder + "/ca.pem"), read_text(folder + "/" + name + ".pem"),
          read_text(folder + "/" + name + ".key")};
}

Config config_for(int clients, int rounds) {
  return read_config_text(fmt::format(R"(
[model]
kind = "gaussian"
prior = "flat"
[data]
source = "nowhere.csv"
[federation]
expect = {}
[sampler]
name = "qlsd"
levels = {}
step = 1e-9
[run]
iterations = {}
burn_in = {}
chains = 1
coupled = true
[output]
lp = false
)",
                                      clients, kLevels, rounds, rounds - 1),
                          "bench");
}

struct Spent {
  double wall = 0, cpu = 0, before = 0, after = 0;
};

// Makes the message that a client receives per round: the position.
Bytes make_broadcast() {
  Broadcast broadcast;
  broadcast.payload.assign(kDimension * sizeof(double), 1);
  broadcast.offset = {0, broadcast.payload.size()};
  broadcast.roster.clients.resize(1);
  const std::vector<std::uint32_t> chains = {0};
  Bytes frame;
  wire::encode(broadcast, chains, frame);
  return frame;
}

double serve(WireServer& wires, int clients, int rounds, double decode) {
  const double empty = megabytes();
  const Config config = config_for(clients, rounds);
  ConnectionRegistry registry(wires.links(), config, {});
  const double start = wall();
  registry.gather();
  const double gathered = wall();
  RoundStatistics statistics;
  ExperimentOptions options;
  options.sites = registry.sites();
  options.transport = [&](ClientView& view, Clients&) {
    return make_remote_transport(registry, view, {config.federation, 1, [](const Notice&) {}, &statistics});
  };
  Experiment experiment(config, options);
  experiment.prepare();
  Sink nobody;
  const int warm = std::max(2, rounds / 10);
  experiment.advance(warm, nobody);
  statistics.latencies.clear();
  Spent s{wall(), cpu_seconds(), megabytes(), 0};
  experiment.advance(rounds - warm, nobody);
  s = {wall() - s.wall, cpu_seconds() - s.cpu, s.before, megabytes()};
  registry.end({true, "done"});
  std::ranges::sort(statistics.latencies);
  const double p99 = statistics.latencies[statistics.latencies.size() * 99 / 100];
  const double message = s.cpu / (rounds - warm) / clients;
  fmt::print("{:>7} {:>7} {:>9.1f} {:>9.1f} {:>9.1f} {:>10.1f} {:>9.1f} {:>6.2f} {:>9.1f} {:>9.1f} {:>9.1f}\n", clients,
             rounds, gathered - start, (rounds - warm) / s.wall, 1000 * p99, 1e6 * message, 1e6 * decode,
             message / decode, 1024 * (s.after - empty) / clients, s.before, s.after);
  return message;
}

int main(int argc, char** argv) {
  if (argc != 4) return fmt::print(stderr, "usage: federation_load CLIENTS ROUNDS plain|tls\n"), 2;
  const int clients = std::atoi(argv[1]), rounds = std::atoi(argv[2]);
  const bool tls = std::string(argv[3]) == "tls";
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  std::string folder = (std::filesystem::temp_directory_path() / "pollen-load-XXXXXX").string();
  if (::mkdtemp(folder.data()) == nullptr) return 1;
  const Bytes reply = make_reply();
  std::vector<std::string> names;
  for (int i = 0; i < clients; ++i) names.push_back(fmt::format("c{}", i));
  if (tls) make_keys({.folder = folder + "/keys", .server = "localhost", .clients = names});
  int port[2];
  if (::pipe(port) != 0) return 1;
  const pid_t child = ::fork();  // must come before gRPC starts threads
  if (child == 0) {
    FakeOptions options{
        .address = "", .tls = {std::nullopt}, .clients = clients, .dimension = kDimension, .reply = reply};
    if (tls) {
      options.tls.clear();
      for (const std::string& name : names) options.tls.emplace_back(texts(folder + "/keys", name));
    }
    for (int server = 0; server < 2; ++server) {
      int number = 0;
      if (::read(port[0], &number, sizeof number) != sizeof number) ::_exit(1);
      options.address = fmt::format("localhost:{}", number);
      run_fakes(options);
    }
    ::_exit(0);
  }
  const double decode = decode_seconds(reply);
  fmt::print("d = {}, qsgd {}, replies of {} bytes, {}; load {:.1f}\n", kDimension, kLevels, reply.size(), argv[3], [] {
    double load = 0;
    return ::getloadavg(&load, 1), load;
  }());
  fmt::print("{:>7} {:>7} {:>9} {:>9} {:>9} {:>10} {:>9} {:>6} {:>9} {:>9} {:>9}\n", "clients", "rounds", "gather s",
             "rounds/s", "p99 ms", "us/message", "decode us", "ratio", "KB/client", "MB before", "MB after");
  const auto keys = tls ? std::optional(texts(folder + "/keys", "localhost")) : std::nullopt;
  const auto tell = [&](int number) {
    if (::write(port[1], &number, sizeof number) != sizeof number) ::_exit(1);
  };
  double message = 0;
  {
    const auto wires = listen_at("localhost:0", keys);
    tell(wires->port());
    message = serve(*wires, clients, rounds, decode);
  }
  const double bare = bare_seconds(keys, clients, rounds, std::max(2, rounds / 10), make_broadcast(), tell);
  fmt::print("a bare gRPC server of the same frames, nothing decoded: {:.1f} us/message; pollen's own part {:.1f}\n",
             1e6 * bare, 1e6 * (message - bare));
  ::waitpid(child, nullptr, 0);
  std::filesystem::remove_all(folder);
  return 0;
}

}  // namespace
}  // namespace pollen::bench

int main(int argc, char** argv) { return pollen::bench::main(argc, argv); }
