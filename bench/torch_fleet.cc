// Measures milliseconds per round of all clients of a network together (NetworkFleet), and how far the sum of their
// gradients is from that of one client after the other.
//   torch_fleet [cpu|cuda] [kind] [clients] [rows] [chains] [rounds]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "network/network.h"
#include "torch_problems.h"

namespace {

using namespace pollen::bench;

struct Clients {
  std::vector<std::unique_ptr<pollen::NetworkRows>> held;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint8_t> present;
  pollen::NetworkFleetSpec spec;
  std::vector<double> theta;
  std::vector<float> theta32;
};

constexpr std::int64_t kEach = 600;  // rows per client

Clients clients_of(const pollen::Network& network, std::int64_t clients, std::int64_t batch) {
  Clients all;
  const Problem p = problem_of(network, clients * kEach);
  for (std::int64_t i = 0; i < clients; ++i) {
    all.held.push_back(network.hold(p.x.data() + i * kEach * network.spec().inputs(), p.y.data() + i * kEach, kEach));
    all.spec.clients.push_back(all.held.back().get());
    all.spec.batch.push_back(batch);
    for (std::int64_t k = 0; k < batch; ++k) all.rows.push_back(static_cast<std::uint32_t>((7 * k + i) % kEach));
  }
  all.spec.block = clients;
  all.present.assign(static_cast<std::size_t>(clients), 1);
  all.theta.assign(p.theta.begin(), p.theta.end());
  all.theta32 = p.theta;
  return all;
}

struct Timed {
  double seconds = 0;
  std::vector<double> sums;
};

Timed rounds(const pollen::Network& network, Clients& all, std::int64_t count) {
  const auto fleet = network.fleet(all.spec);
  if (!fleet) throw std::runtime_error("this network has no fleet");
  Timed timed;
  double start = 0;
  const std::int64_t warm = std::min<std::int64_t>(20, count);
  for (std::int64_t k = 0; k < count + warm; ++k) {
    if (k == warm) start = wall();
    for (std::int64_t c = 0; c < all.spec.chains; ++c) {
      pollen::NetworkFleetRound round;
      round.chain = c;
      round.position = all.theta.data();
      round.anchor = all.spec.anchored && k == 0 ? all.theta.data() : nullptr;
      round.present = all.present.data();
      round.rows = all.rows.data();
      round.round = static_cast<std::uint64_t>(k);
      fleet->begin(round);
    }
    for (std::int64_t c = 0; c < all.spec.chains; ++c) fleet->finish(c);
  }
  timed.seconds = (wall() - start) / static_cast<double>(count);
  const double* sums = fleet->finish(0).sums;
  timed.sums.assign(sums, sums + all.theta.size());
  return timed;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double off = 0, norm = 0;
  for (std::size_t i = 0; i < a.size(); ++i) off += (a[i] - b[i]) * (a[i] - b[i]), norm += b[i] * b[i];
  return std::sqrt(off / norm);
}

}  // namespace

int main(int count, char** words) {
  const auto word = [&](int i, const char* otherwise) { return std::string(count > i ? words[i] : otherwise); };
  const std::string device = word(1, "cpu"), kind = word(2, "lenet5");
  const std::int64_t clients = std::stoll(word(3, "20")), batch = std::stoll(word(4, "64")),
                     chains = std::stoll(word(5, "1")), times = std::stoll(word(6, "200"));
  for (pollen::NetworkSpec spec : networks()) {
    if (spec.kind != kind || spec.norm == "batch") continue;
    spec.device = device;
    const auto network = pollen::make_torch_network(spec);
    Clients all = clients_of(*network, clients, batch);
    const Timed whole = rounds(*network, all, std::min<std::int64_t>(times, 20));
    std::vector<double> expected(all.theta.size());
    std::vector<float> g(expected.size());
    for (std::size_t i = 0; i < all.held.size(); ++i) {
      network->loss(*all.held[i], all.rows.data() + i * static_cast<std::size_t>(batch), batch, all.theta32.data(),
                    g.data());
      const double factor = static_cast<double>(kEach) / static_cast<double>(batch);
      for (std::size_t j = 0; j < g.size(); ++j) expected[j] += factor * static_cast<double>(g[j]);
    }
    all.spec.levels = 16;
    all.spec.chains = chains;
    const double qlsd = rounds(*network, all, times).seconds;
    all.spec.anchored = all.spec.memory = true;
    all.spec.rate = 0.1;
    const double anchored = rounds(*network, all, times).seconds;
    fmt::print(
        "{} {} {} clients x {} rows, {} chains: {:.3f} ms per round, {:.3f} with anchor and memory; sums off by "
        "{:.1e}\n",
        device, kind, clients, batch, chains, 1e3 * qlsd, 1e3 * anchored, distance(whole.sums, expected));
  }
}
