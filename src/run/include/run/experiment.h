// One experiment from a configuration: data, model, samplers, the loop. Prints nothing; tells a Sink.
//
//   Experiment experiment(read_config_file("mine.toml"), {.threads = 2});
//   experiment.prepare();
//   experiment.advance(experiment.config().run.iterations, sink);
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/model.h"
#include "pollen/round.h"
#include "pollen/run.h"
#include "pollen/transport.h"
#include "ranks/ranks.h"
#include "round/engine.h"
#include "run/participation_tally.h"
#include "run/privacy_meter.h"
#include "run/problem.h"
#include "run/simulated_time.h"

namespace pollen {

struct ExperimentOptions {
  int threads = 0;                          // 0: as many as pay off
  const std::atomic<bool>* stop = nullptr;  // looked at between iterations
  std::function<void(std::int64_t done, std::int64_t steps)> warming =
      {};  // before every step of a warm-up, and after it
  // Another carrier than threads; makes the transport over the experiment's own view and clients.
  MakeTransport transport = {};
  MakeOracle oracle = {};                   // every client's, in place of the recipe's
  std::optional<Posterior> posterior = {};  // in place of the configuration's model and data
  // Clients in other processes, by what they said of themselves; `transport` reaches them.
  std::vector<SiteFacts> sites = {};
  std::int64_t setup_bits = 0;  // of what they said
  bool levels_shown = true;     // among it levels or labels that data.levels does not give
  // Several processes that share the clients (ranks/ranks.h): this is rank 0, and the others are in serve_rank().
  Ranks* ranks = nullptr;
  // Somebody who looks on: is told of every exchange with clients, on the thread of advance(). Nothing depends on it,
  // and nothing of it is saved.
  TrafficListener watch = {};
};

// Models with latents: draws of a client's latent from its own posterior, at what every chain has learnt.
struct OwnDraws {
  Panel z;                          // d × (chains · draws), chain after chain
  std::vector<double> mean;         // of every test row of the client, outputs() numbers: the predictive mean
  std::vector<double> log_density;  // likewise: log of the averaged density
  Panel effects;  // mixed-linear: the mean of Φz, a column a chain: what is known whatever the rotation
};

// Models with latents: means over rows, and chains, of -log p(y | φ, z_i); NaN where there are no rows.
struct RowLoss {
  double train = 0, test = 0;
};

// Predictions for rows of one client, over its latent's posterior and the noise.
struct Forecast {
  std::vector<double> mean;          // mixed-logistic: P(1); outputs() > 1: rows × classes probabilities
  std::vector<double> sd;            // of the response
  std::vector<double> lower, upper;  // of an interval for the response; classes: for their probabilities
  std::vector<double> entropy;       // outputs() > 1: a row's mean entropy over draws
};

class Experiment {
 public:
  Experiment(Config config, ExperimentOptions options = {});  // ConfigError where anything is wrong
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  // Mode finding, step = "auto", memories: what comes before the first iteration. Not called after load().
  void prepare();
  // Up to `iterations` more; returns false where it was stopped before that, by options.stop or because the privacy
  // budget is spent (privacy().ended()).
  bool advance(std::int64_t iterations, Sink& sink);

  const Config& config() const;  // complete, as to_toml() writes it
  const Recipe& recipe() const;
  const ModelSpec& model() const;
  const Federation& data() const;           // empty tables for gaussian clients given in the config
  std::vector<std::string> labels() const;  // a readable name for each coordinate
  Index dimension() const;
  Index clients() const;
  std::int64_t iteration() const;  // done so far
  std::int64_t burn_in() const;
  std::int64_t kept() const;  // draws kept so far, a chain
  Counters counters() const;
  const ParticipationTally& participation() const;  // of federated rounds; empty where another engine samples
  const SimulatedTime* simulated() const;           // in the network of [network]; null where there is none
  bool has_transitions() const;                     // mala, hmc, nuts: what CmdStan's `__` columns hold
  const std::vector<std::string>& warnings() const;
  const std::vector<std::string>& notes() const;  // what was picked: the step, the mode
  const PrivacyMeter& privacy() const;            // knows the step after prepare() or load()
  double smoothness() const;                      // L, as bounded or estimated; 0 before prepare()
  ConstPanelView position() const;
  std::vector<double> mode() const;  // empty unless found

  // Models with latents: what was learnt, (φ, β) with a column a chain, and a client's own posterior there.
  bool personal() const;
  std::vector<std::string> latent_labels() const;
  bool predicts_classes() const;
  Index outputs() const;        // of a row's prediction: 1 (mixed-logistic: P(1)), or a network's classes
  bool learns_average() const;  // learnt() is averaged(); else position(), where φ may turn on its path
  bool is_baseline() const;     // a point for every client, no posterior
  std::vector<std::size_t> identified()
      const;  // coordinates that data determine: not Φ, which may rotate, nor an energy's β
  Panel learnt() const;
  ConstPanelView averaged() const;  // the η-weighted average of the path since burn-in; position() is its end
  OwnDraws own_draws(Index client, Index draws) const;  // unless of a baseline, on several threads at once if wanted
  RowLoss row_loss() const;                             // of the first 1,000 clients' models as they are now
  // For a client of the run, or (none) a new one with rows of its own, which may be none. `learnt` as learnt() has it.
  Forecast forecast(const Table& rows, std::optional<Index> client, const Table& own, ConstPanelView learnt,
                    Index draws, double interval) const;

  // For questions about the problem beside a run: what pollen plan asks. No rows move.
  struct Questions {
    Transport& transport;
    const Prior& prior;
    std::span<const Index> sizes;  // N_i
    bool curvature_is_bound;       // over all θ, not only where it is looked at
  };
  Questions questions();
  const std::vector<double>& ask_mode();  // found once

  // Of a rank other than 0, which makes the same experiment: answers what rank 0 asks until the run is over.
  void serve();

  // The whole state between two iterations, for checkpoints: the same draws follow, bit for bit.
  Bytes save() const;
  void save(Archive& archive) const;
  void load(ByteView state);  // WireError where it is not of this experiment

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Whether the clients of a run can be in several processes: not where a centralised sampler or a personalised baseline
// samples, nor on a GPU. Rank 0 then works alone.
bool runs_distributed(const Config& config);

// What a rank other than 0 does in a run: the configuration, the experiment, answers until rank 0 says that it is over.
// Whatever goes wrong is told to rank 0, which throws it. `watched`: rank 0 has a `watch`, and hears what clients did.
void serve_rank(Ranks& ranks, const std::function<Config()>& read, int threads, bool watched = false);

}  // namespace pollen
