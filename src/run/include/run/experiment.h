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
#include "run/personal_results.h"
#include "run/privacy_meter.h"
#include "run/problem.h"
#include "run/questions.h"
#include "run/sampling_forecast.h"
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
  std::vector<std::uint32_t> believed = {};  // sites whose replies may be absurdly large (AbsurdReply); sorted
  std::int64_t setup_bits = 0;               // bits of what the sites said
  std::vector<std::string> notes = {};       // on the sites' data, for the warnings
  bool levels_shown = true;  // whether the sites revealed levels or labels that data.levels does not give
  // Set if several processes share the clients (ranks/ranks.h). This process is rank 0; the others are in serve_rank().
  Ranks* ranks = nullptr;
  // An observer, told of every exchange with clients on the thread of advance(). It has no effect on the run and is not
  // saved with it.
  TrafficListener watch = {};
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
  Counters counters() const;
  const ParticipationTally& participation() const;  // empty unless the sampler is federated
  const SimulatedTime* simulated() const;           // time in the network of [network]; null without that section
  bool has_transitions() const;                     // mala, hmc, nuts: there are values for CmdStan's `__` columns
  const std::vector<std::string>& warnings() const;
  const std::vector<std::string>& notes() const;  // what was chosen in set-up, such as the step
  const PrivacyMeter& privacy() const;            // complete after prepare() or load(), when the step is known
  // What the draws of this run's step will be worth; null if nothing can be forecast, and before prepare().
  const SamplingForecast* forecast() const;
  // The forecast of a run that is not prepared, for `pollen plan`, with the step that a run would pick if it is "auto".
  // If there is none, `why` says why. With `exact` an exact law may take its time.
  std::optional<SamplingForecast> plan_forecast(bool exact, std::string& why);
  // The same with the largest step that keeps sds and means within `share` of a posterior sd. If none does, `why` says
  // what is in the way.
  std::optional<SamplingForecast> forecast_within(double share, std::string& why);
  // What nuts, hmc or mala will take to so many effective draws, if that can be said.
  std::optional<ExactForecast> exact_forecast(double draws, std::string& why);
  double smoothness() const;  // L, a bound or an estimate; 0 before prepare()
  ConstPanelView position() const;
  // The position of least U, in the units of draws; empty unless it was found. For linear models with a sampled sigma
  // log sigma is at the mode of its own posterior, where that was found (docs/samplers.md, run.init).
  std::vector<double> mode() const;
  // The prior's standard deviation of each coordinate of a draw, infinite if the prior is flat or not centred at 0;
  // empty if they are not known, as with latents.
  std::vector<double> prior_sd() const;

  const PersonalResults* personal() const;  // null unless the model has latents
  // What can be asked of the clients outside sampling. ConfigError if the model has latents.
  Questions& questions();

  // Asks the clients of a federation for sums of scores over their own test rows (Query::What::scores). Clients that do
  // not answer in time are left out.
  void ask_scores(ConstPanelView at, ConstPanelView uncertainty, PanelView sums) const;

  // Called by ranks other than 0, which make the same experiment: answers what rank 0 asks until the run is over.
  void serve();

  // Saves and loads the whole state between two iterations, for checkpoints. The same draws follow, bit for bit.
  Bytes save() const;
  void save(Archive& archive) const;
  void load(ByteView state);  // WireError if the state belongs to another experiment

 private:
  std::unique_ptr<ExperimentParts> parts_;
};

// Whether the clients of a run can be spread over several processes. They cannot with a centralised sampler or a
// competitor of it, or on a GPU; rank 0 then works alone.
bool runs_distributed(const Config& config);

// What a rank other than 0 does in a run: it reads the configuration, makes the experiment, and answers until rank 0
// says that the run is over. Errors are reported to rank 0, which throws them. `watched` says that rank 0 has a `watch`
// and must hear what clients did.
void serve_rank(Ranks& ranks, const std::function<Config()>& read, int threads, bool watched = false);

}  // namespace pollen
