// One experiment, made from a configuration: data, model, sampler and the loop of iterations. It prints nothing and
// reports to a Sink. One thread per object unless a function says otherwise.
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
  int threads = 0;                          // 0: as many as make the run faster
  const std::atomic<bool>* stop = nullptr;  // checked between iterations
  // Called before every step of a warm-up, and after the last one.
  std::function<void(std::int64_t done, std::int64_t steps)> warming = {};
  // Makes another transport than threads of this process, over the experiment's own view and clients.
  MakeTransport transport = {};
  std::optional<Posterior> posterior = {};  // replaces the configuration's model and data
  // Clients in other processes, by what they said about themselves; `transport` reaches them.
  std::vector<SiteFacts> sites = {};
  std::int64_t setup_bits = 0;  // bits of what the sites said
  bool levels_shown = true;     // whether the sites revealed levels or labels that data.levels does not give
  // Set if several processes share the clients (ranks/ranks.h). This process is rank 0; the others are in serve_rank().
  Ranks* ranks = nullptr;
  // An observer, told of every exchange with clients on the thread of advance(). It has no effect on the run and is not
  // saved with it.
  TrafficListener watch = {};
};

// Models with latents: draws of a client's latent from its own posterior at the (φ, β) that every chain has learnt.
struct OwnDraws {
  Panel z;                          // the draws, d × (chains · draws), chain after chain
  std::vector<double> mean;         // the predictive mean, outputs() numbers per test row of the client
  std::vector<double> log_density;  // logarithm of the averaged density, one per test row
  // For mixed-linear: the mean of Φz, one column per chain. It is identified although Φ is known only up to a rotation.
  Panel effects;
};

// Models with latents: means of -log p(y | φ, z_i) over rows and chains; NaN if there are no rows.
struct RowLoss {
  double train = 0, test = 0;
};

// Predictions for rows of one client, averaged over the posterior of its latent and over the noise.
struct Forecast {
  std::vector<double> mean;          // for mixed-logistic P(1); if outputs() > 1, rows × classes probabilities
  std::vector<double> sd;            // standard deviation of the response
  std::vector<double> lower, upper;  // interval for the response, or for the probabilities of classes
  std::vector<double> entropy;       // if outputs() > 1: one per row, the mean entropy over draws
};

class Experiment {
 public:
  Experiment(Config config, ExperimentOptions options = {});  // ConfigError if anything is wrong
  ~Experiment();
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  // Does what comes before the first iteration: finds the mode, picks the step if it is "auto", sets starts and
  // memories. Must not be called after load().
  void prepare();
  // Runs up to `iterations` more iterations. Returns false if it stopped earlier, because of options.stop or because
  // the privacy budget is spent (privacy().ended()).
  bool advance(std::int64_t iterations, Sink& sink);

  const Config& config() const;  // with every default filled in, as to_toml() writes it
  const Recipe& recipe() const;
  const ModelSpec& model() const;
  const Federation& data() const;           // tables are empty for gaussian clients without data
  std::vector<std::string> labels() const;  // one readable name per coordinate
  Index dimension() const;
  Index clients() const;
  std::int64_t iteration() const;  // iterations done so far
  std::int64_t burn_in() const;
  std::int64_t kept() const;  // draws kept so far, per chain
  Counters counters() const;
  const ParticipationTally& participation() const;  // empty unless the sampler is federated
  const SimulatedTime* simulated() const;           // time in the network of [network]; null without that section
  bool has_transitions() const;                     // mala, hmc, nuts: there are values for CmdStan's `__` columns
  const std::vector<std::string>& warnings() const;
  const std::vector<std::string>& notes() const;  // what was chosen in set-up, such as the step
  const PrivacyMeter& privacy() const;            // complete after prepare() or load(), when the step is known
  double smoothness() const;                      // L, a bound or an estimate; 0 before prepare()
  ConstPanelView position() const;
  std::vector<double> mode() const;  // empty unless it was found

  // Models with latents (docs/personal.md): what was learnt, (φ, β) with one column per chain, and the clients' own
  // posteriors there.
  bool personal() const;
  std::vector<std::string> latent_labels() const;
  bool predicts_classes() const;
  Index outputs() const;        // numbers per predicted row: 1 (for mixed-logistic P(1)), or a network's classes
  bool learns_average() const;  // whether learnt() is averaged(); else it is position(), as φ may rotate on its path
  bool is_baseline() const;     // a baseline has a point for every client, no posterior
  // The coordinates that the data determine. Φ, which may rotate, and the β of an energy are not among them.
  std::vector<std::size_t> identified() const;
  Panel learnt() const;
  // The average of the path since burn-in, weighted by the steps η. position() is the end of the path.
  ConstPanelView averaged() const;
  // Several threads may call this for different clients at once, unless the sampler is a baseline.
  OwnDraws own_draws(Index client, Index draws) const;
  RowLoss row_loss() const;  // evaluates the present models of the first 1,000 clients
  // Predicts `rows` for a client of the run or, if `client` is empty, for a new client with the rows `own`, which may
  // be empty, too. `learnt` is as learnt() returns it.
  Forecast forecast(const Table& rows, std::optional<Index> client, const Table& own, ConstPanelView learnt,
                    Index draws, double interval) const;

  // What `pollen plan` needs to ask clients about the problem. Rows do not leave the clients.
  struct Questions {
    Transport& transport;
    const Prior& prior;
    std::span<const Index> sizes;  // N_i
    bool curvature_is_bound;       // the curvature bounds hold for all θ, not only where they are asked for
  };
  Questions questions();
  const std::vector<double>& ask_mode();  // finds the mode at the first call

  // Called by ranks other than 0, which make the same experiment: answers what rank 0 asks until the run is over.
  void serve();

  // Saves and loads the whole state between two iterations, for checkpoints. The same draws follow, bit for bit.
  Bytes save() const;
  void save(Archive& archive) const;
  void load(ByteView state);  // WireError if the state belongs to another experiment

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

// Whether the clients of a run can be spread over several processes. They cannot with a centralised sampler, with a
// personalised baseline, or on a GPU; rank 0 then works alone.
bool runs_distributed(const Config& config);

// What a rank other than 0 does in a run: it reads the configuration, makes the experiment, and answers until rank 0
// says that the run is over. Errors are reported to rank 0, which throws them. `watched` says that rank 0 has a `watch`
// and must hear what clients did.
void serve_rank(Ranks& ranks, const std::function<Config()>& read, int threads, bool watched = false);

}  // namespace pollen
