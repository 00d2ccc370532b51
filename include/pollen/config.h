// The configuration of a run: it is read from TOML, checked, completed with defaults and written as TOML. All problems
// in a file are reported at once. docs/configuration.md describes every key; the structs below use the same names.
//
//   Config config = read_config_file("mine.toml", {"sampler.step=1e-4"});
//   config.run.iterations = 1000;
//   std::cout << to_toml(config);
//
// The read functions parse the text and check each key by itself. complete() fills in the defaults that depend on other
// keys and on the size of the problem, and checks the keys together. to_toml() writes out every key, so that a run of
// that text gives the same draws.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pollen/data.h"
#include "pollen/recipe.h"

namespace pollen {

struct ModelConfig {
  std::string kind = "logistic";
  std::string prior = "auto";              // auto | normal | flat
  std::vector<double> prior_sd = {1.0};    // one for all, or one per coefficient
  std::vector<double> prior_mean = {0.0};  // the same
  std::vector<double> prior_centre;        // the columns' values at which the intercept's prior holds; empty: 0 in all
  std::string prior_scale = "data";        // data | standardized: the units of the three
  std::string likelihood = "sum";          // sum | mean
  double temperature = 1.0;
  std::optional<double> noise_sd;  // linear: σ; if empty, log σ is sampled
  double log_sigma_sd = 1.0;       // linear with sampled σ: the standard deviation of log σ's prior
  // Mixed-effects models: `fixed` columns have one coefficient for all clients, `random` columns one per client.
  std::vector<std::string> fixed, random;
  Index latent = 2;  // mixed-linear: d, the number of latents per client
  // The keys of networks.
  std::string task = "classification";  // classification | regression
  std::vector<Index> sizes = {100};     // mlp: the units of each hidden layer
  std::string activation = "relu";
  std::string norm = "frn";
  std::string file;          // torchscript: the model's file
  std::vector<Index> input;  // channels, height, width; empty: guessed from the number of columns
  std::vector<double> input_mean = {0.0}, input_sd = {1.0};  // one for all, or one per channel
  std::optional<double> weight_decay;                        // the prior's precision, instead of prior_sd
  std::string personal = "none";  // none | last-layer: the layer that every client has for itself
};

// [compute]: where networks are computed.
struct ComputeConfig {
  std::string device = "cpu";   // cpu | cuda
  std::string engine = "auto";  // auto | lean | torch
  bool tf32 = false;
};

// [population]: the law p(z | β) from which the clients' latents come.
struct PopulationConfig {
  std::string prior = "normal";             // normal | energy
  Index units = 8, particles = 16;          // for prior = "energy"
  std::optional<std::string> mean, spread;  // vector | scalar | fixed
  std::string centred = "auto";             // hmc: auto | always | never
  // One for all, or one per latent. If empty: 0 and 1, or for a network's layer the initial values of its tensors.
  std::vector<double> mean_start, sd_start;
  std::optional<double> least_sd;
  double most_sd = 1e6;
  std::optional<double> mean_radius;
  std::optional<double> mean_prior_sd, log_sd_prior_sd;  // priors centred at the start; empty: flat
};

struct SamplerConfig {
  std::string name = "qlsd++";
  std::optional<double> step;  // empty: "auto"
  std::optional<Batch> batch;
  std::optional<std::string> oracle;  // for name = "custom" only
  std::optional<std::string> compressor;
  std::uint32_t levels = 16;
  std::optional<Index> k;
  bool scaled = false;
  int bits = 64;
  double noise_share = 1;  // coded: κ
  std::string wire = "bytes";
  std::optional<bool> memory;
  std::string memory_init = "zero";
  std::optional<double> memory_rate;
  std::optional<bool> error_feedback;  // for name = "custom" only
  std::optional<std::string> downlink;
  std::optional<Index> downlink_k;
  std::optional<std::uint32_t> downlink_levels;
  Index refresh = 100;
  std::optional<std::string> prior_at;  // server | clients; empty: clients for the averaging family, else server
  double mode_tolerance = 1e-6;
  std::string precondition = "auto";  // auto | none | diagonal | full
  Index curvature_clients = 0;        // how many clients, drawn at random, answer for whole Hessians; 0: all
  // The keys of the averaging family.
  std::optional<Index> local_steps;
  std::optional<double> communicate, refresh_probability, correlation, clip;
  std::string scheme = "full";
  std::string emit = "communication";
  std::string schedule = "constant";            // constant | decaying
  std::optional<double> smoothness, convexity;  // L and m of f^c = U_c/w_c, for schedule = "decaying"
  bool allow_unbalanced = false;
  // The keys of the personalised samplers.
  std::optional<std::string> kernel;  // langevin | mala | hmc
  bool warm_start = true;
  Index local_leapfrogs = 5;
  std::optional<double> shared_step, population_step;  // empty: "auto"
  std::optional<double> step_decay;                    // empty: "auto"
  std::optional<double> shared_radius;
  // The keys of the personalised baselines.
  double penalty = 1, mixture = 0.5, aggregate = 0.2, inner_step = 0.01;
  bool adapt_mixture = false, hessian_free = false;
  Index head_steps = 10;
};

struct ParticipationConfig {
  std::string policy = "full";
  std::vector<double> probability;
  bool probability_is_list = false;
  std::optional<std::string> scaling;
  std::optional<Index> size;
  bool replacement = false;
};

struct RunConfig {
  Index iterations = 20000;
  std::optional<Index> burn_in;
  Index thin = 1;
  Index chains = 4;
  bool coupled = false;
  std::string init = "auto";        // auto | zero | prior | mode | random | model | list | file:PATH
  std::vector<double> init_values;  // the position, if init is "list"
};

// [warm_up]: gradient descent before the first iteration. There is none with 0 epochs.
struct WarmUpConfig {
  Index epochs = 0;
  Index batch = 64;    // rows per client and step
  double rate = 0.05;  // for the mean loss per row; the largest one if the schedule varies it
  double momentum = 0.9;
  std::string schedule = "one-cycle";  // one-cycle | constant
  std::vector<std::string> augment;    // how images are varied: flip, crop
};

struct OutputConfig {
  std::string dir = "pollen-out";
  std::vector<std::string> draws = {"csv"};
  Index metrics_every = 100;
  bool lp = true;
  std::string scale = "data";  // data | standardized: the units in which coefficients are written
  int ece_bins = 15;
  Index clients = 200;       // models with latents: how many clients, from the first, get draws and scores of their own
  Index client_draws = 250;  // draws per chain of each of these clients
};

// [privacy]: what a run may reveal (docs/privacy.md). No account is kept unless a key is set.
struct PrivacyConfig {
  std::optional<double> target_epsilon;
  std::optional<double> delta;  // 1e-5 unless the three below are all set
  std::optional<double> delta_0, delta_1, delta_2;
  std::optional<std::string> on_spent;    // stop | warn
  std::optional<std::string> accountant;  // theorem | renyi: the account that must stay below target_epsilon
  std::optional<std::string> adversary;   // server | outside
  std::vector<std::string> accept;        // uses of the data that no accountant covers but the user allows
};

// [federation]: who takes part in a real federation, and what happens if a client is missing (docs/federation.md).
struct FederationConfig {
  std::vector<std::string> expect;        // the clients' names, in the order of their numbers
  std::vector<std::string> fingerprints;  // the SHA-256 of their certificates, in the same order; empty if not given
  std::optional<Index> expect_count;      // instead of names: how many clients are expected
  std::optional<Index> quorum;            // the least number to start with and, if on_missing is skip, to continue with
  std::optional<double> start_timeout;    // seconds to wait for further clients once there is a quorum
  std::optional<double> round_deadline;   // seconds that a round waits for its clients before on_missing applies
  std::optional<std::string> on_missing;  // wait | skip | abort
  std::optional<std::string> scores;      // end | none; see asks_for_scores()
};

// [network]: the simulated network whose time is reported (docs/network-time.md). There is none unless a key is set.
struct NetworkTimeConfig {
  std::optional<std::string> preset;  // phone | hospital | datacentre
  std::string trace;                  // a file with numbers for every client, instead of the medians and spreads below
  std::optional<double> uplink_mbps, downlink_mbps, latency_ms, gradients_per_second;      // medians over the clients
  std::optional<double> uplink_spread, downlink_spread, latency_spread, gradients_spread;  // sds of the logarithm
  std::optional<double> jitter_spread;                 // the same for one client, from exchange to exchange
  std::optional<double> availability, window_seconds;  // the share of time a client is there; the length of a stay
  std::optional<double> server_seconds;                // the server's own time per exchange
};

// [[client]]: one client's own settings.
struct ClientConfig {
  std::vector<double> mean;
  std::vector<std::vector<double>> precision;
  std::vector<std::vector<double>> data;
  std::optional<std::string> compressor;
  std::optional<std::uint32_t> levels;
  std::optional<Index> k;
};

struct Config {
  std::uint64_t seed = 1;
  ModelConfig model;
  ComputeConfig compute;
  DataSpec data;
  SamplerConfig sampler;
  ReferenceConfig reference;
  ParticipationConfig participation;
  RunConfig run;
  WarmUpConfig warm_up;
  OutputConfig output;
  PrivacyConfig privacy;
  PopulationConfig population;
  FederationConfig federation;
  NetworkTimeConfig network_time;  // [network]
  std::vector<ClientConfig> clients;

  std::string file;             // named in messages; "built-in" if there is no file
  std::set<std::string> given;  // the keys that the user set
};

// The text of the built-in Titanic problem, as a user would write it.
const char* builtin_config();

using Overrides = std::vector<std::string>;  // each like "sampler.step=1e-4"

// Reads a configuration from a text. It opens no file, because the text may come from somebody else.
Config read_config_text(const std::string& text, const std::string& file, const Overrides& overrides = {});
// Reads the built-in problem. If the overrides name another sampler, the settings that were chosen for the built-in
// problem's sampler are left out.
Config read_builtin_config(const Overrides& overrides = {});
// Reads a configuration file. If data.source is a store, keys of [data] that are left out are taken from the store, and
// the others must agree with it.
Config read_config_file(const std::string& path, const Overrides& overrides = {});

// Fills in every default that depends on other keys, except step = "auto", and returns the recipe. `clients` and
// `dimension` are those of the problem. Appends to `warnings` the keys that this sampler does not use and combinations
// without theory.
Recipe complete(Config& config, Index clients, Index dimension, std::vector<std::string>& warnings);

// Whether every client has latents of its own: the model is a mixed-effects model, or a network with model.personal.
bool is_mixed(const Config& config);

// Whether the sampler is hmc on such a problem, which samples latents and parameters jointly.
bool samples_jointly(const Config& config);

// Whether the sampler is nuts, hmc or mala, which ask clients for potentials (docs/exact.md).
bool is_exact(const Config& config);

// Whether the model is a neural network.
bool is_network(const Config& config);

// Whether any key of [privacy] is set.
bool asks_for_privacy(const Config& config);

// Whether the server of a federation asks for the scores of test rows at the end. Under [privacy] it does so only if
// federation.scores says it.
bool asks_for_scores(const Config& config);

// The least number of clients of a sample whose Hessians tell how columns are correlated (sampler.curvature_clients).
Index fewest_sampled(Index dimension);
// Whether clients are asked for their curvature for the sake of sampler.precondition.
bool asks_for_coordinates(const Config& config);

// Whether any key of [network] is set and the sampler has exchanges to be timed.
bool keeps_network_time(const Config& config);

// The presets of [network] by name, and a configuration with one of them in the place of its own network, for a model
// of so many parameters.
std::vector<std::string> network_presets();
Config with_network(Config config, const std::string& preset, Index dimension);

std::string to_toml(const Config& config);
std::string data_to_toml(const Config& config);  // only [data]

}  // namespace pollen
