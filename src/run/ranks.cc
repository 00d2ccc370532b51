// An experiment whose clients are spread over ranks (docs/cluster.md): which clients each rank has, and what ranks
// other than 0 do.
#include <algorithm>
#include <limits>

#include "experiment_parts.h"
#include "own_files.h"
#include "pollen/errors.h"
#include "reference/reference.h"

namespace pollen {

bool runs_distributed(const Config& config) {
  if (is_network(config) && config.compute.device == "cuda") return false;
  return is_mixed(config) || find_reference(config.sampler.name) == nullptr;
}

ClientRange ExperimentParts::own_clients() const {
  if (ranks == nullptr) return {0, problem.clients()};
  return client_range(ranks->rank(), ranks->size(), problem.clients(), kept_numbers(config, dimension()));
}

RankShare ExperimentParts::rank_share() const {
  return {own_clients(), problem.clients(), kept_numbers(config, dimension()), std::max(1, options.threads)};
}

// A hash (FNV-1a) of what must be the same on all ranks: the configuration and the clients' sizes.
std::uint64_t ExperimentParts::fingerprint() const {
  if (ranks == nullptr) return 0;  // the run is not distributed; the other ranks report 0, too
  Config shared = config;
  shared.output = {};  // only rank 0 writes output
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto add = [&](std::uint64_t word) { hash = (hash ^ word) * 0x100000001b3U; };
  for (const char c : to_toml(shared)) add(static_cast<std::uint8_t>(c));
  for (const Index begin : problem.data.train_begin) add(static_cast<std::uint64_t>(begin));
  for (const Index rows : problem.rows) add(static_cast<std::uint64_t>(rows));
  return hash;
}

RankDuties ExperimentParts::duties() {
  return {federation == nullptr ? nullptr : &federation->server(), &link->host().view(), &link->host().clients(),
          rank_share()};
}

void Experiment::serve() {
  const RankDuties duties = parts_->duties();
  say_ready(*parts_->ranks, parts_->fingerprint());
  pollen::serve(*parts_->ranks, duties);
}

void serve_rank(Ranks& ranks, const std::function<Config()>& read, int threads, bool watched) {
  std::unique_ptr<Experiment> experiment;
  try {
    const Config config = read();
    ExperimentOptions options;
    options.threads = threads;
    options.ranks = &ranks;
    if (watched)
      // An observer that does nothing: it makes this rank report the same traffic as rank 0 expects.
      options.watch = [](std::span<const ClientTraffic>) {};
    if (runs_distributed(config)) experiment = std::make_unique<Experiment>(config, options);
    if (!experiment) say_ready(ranks, 0);
  } catch (const RanksEnded&) {
    return say_bye(ranks);
  } catch (...) {
    say_failed(ranks);
  }
  if (experiment) return experiment->serve();
  serve(ranks, {});  // answers with nothing until the run is over
}

}  // namespace pollen
