// The configuration: TOML in (with every problem found named at once), defaults filled in, TOML out.
//
//   Config config = read_config_file("mine.toml", {"sampler.step=1e-4"});
//   config.run.iterations = 1000;
//   std::cout << to_toml(config);
//
// read_config_*() parse and check each key by itself; complete() fills the defaults that depend on other keys and on
// the problem's size and checks them together; to_toml() writes every key out, so that running the text again gives the
// same draws.
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
  std::string prior = "normal";          // normal | flat
  std::vector<double> prior_sd = {1.0};  // one for all, or one a coefficient
  std::string likelihood = "sum";        // sum | mean
  double temperature = 1.0;
  std::optional<double> noise_sd;  // linear; empty = sampled as log σ
  double log_sigma_sd = 1.0;       // linear with sampled σ: sd of log σ's prior
  // Mixed-effects models: columns with one coefficient for all, and with one of every client's own.
  std::vector<std::string> fixed, random;
  Index latent = 2;  // mixed-linear: d
  // Networks.
  std::string task = "classification";  // classification | regression
  std::vector<Index> sizes = {100};     // mlp: units of the layers between
  std::string activation = "relu";
  std::string norm = "frn";
  std::string file;                                          // torchscript
  std::vector<Index> input;                                  // channels, height, width; empty: by the number of columns
  std::vector<double> input_mean = {0.0}, input_sd = {1.0};  // one for all, or one a channel
  std::optional<double> weight_decay;                        // the prior's precision, in place of prior_sd
  std::string personal = "none";                             // none | last-layer: every client's own
};

// Where networks compute.
struct ComputeConfig {
  std::string device = "cpu";   // cpu | cuda
  std::string engine = "auto";  // auto | lean | torch
  bool tf32 = false;
};

// The population that clients' latents come from, p(z | β).
struct PopulationConfig {
  std::string prior = "normal";             // normal | energy
  Index units = 8, particles = 16;          // energy
  std::optional<std::string> mean, spread;  // vector | scalar | fixed
  // One for all, or one a latent; none: 0 and 1, for a network's layer as its tensors start.
  std::vector<double> mean_start, sd_start;
  std::optional<double> least_sd;
  double most_sd = 1e6;
  std::optional<double> mean_radius;
  std::optional<double> mean_prior_sd, log_sd_prior_sd;  // about the start; empty: flat
};

struct SamplerConfig {
  std::string name = "qlsd++";
  std::optional<double> step;  // empty = "auto"
  std::optional<Batch> batch;
  std::optional<std::string> oracle;  // custom only
  std::optional<std::string> compressor;
  std::uint32_t levels = 16;
  std::optional<Index> k;
  bool scaled = false;
  int bits = 64;
  std::string wire = "bytes";
  std::optional<bool> memory;
  std::string memory_init = "zero";
  std::optional<double> memory_rate;
  std::optional<bool> error_feedback;  // custom only
  std::optional<std::string> downlink;
  std::optional<Index> downlink_k;
  std::optional<std::uint32_t> downlink_levels;
  Index refresh = 100;
  std::optional<std::string> prior_at;  // server; clients for the averaging family
  double mode_tolerance = 1e-6;
  // The averaging family's.
  std::optional<Index> local_steps;
  std::optional<double> communicate, refresh_probability, correlation, clip;
  std::string scheme = "full";
  std::string emit = "communication";
  std::string schedule = "constant";            // constant | decaying
  std::optional<double> smoothness, convexity;  // L and m of f^c = U_c/w_c, for the decaying schedule
  bool allow_unbalanced = false;
  // The personalised samplers'.
  std::optional<std::string> kernel;  // langevin | mala | hmc
  bool warm_start = true;
  Index local_leapfrogs = 5;
  std::optional<double> shared_step, population_step;  // empty = "auto"
  double step_decay = 0;
  std::optional<double> shared_radius;
  // The personalised baselines'.
  double penalty = 1, mixture = 0.5, aggregate = 0.2, inner_step = 0.01;
  bool adapt_mixture = false, hessian_free = false;
  Index head_steps = 10;
};

// The references' and competitors' own keys; they are written in [sampler].
struct ReferenceConfig {
  std::optional<double> target_accept, server_step, tolerance;
  bool adapt_mass = true;
  Index leapfrogs = 0;
  double trajectory = 1.5707963267948966;
  double jitter = 0.5;
  Index most_leapfrogs = 1024;
  Index max_depth = 10;
  double decay = 0.99;
  double damping = 1e-5;
  std::string local_kernel = "nuts";
  bool diagonal = false;
  Index samples = 10;
  Index local_burn_in = 10;
  double shrinkage = 1;
  std::string server_law = "gaussian";
  std::optional<std::string> surrogate;  // empty: swag for networks, draws otherwise
  std::optional<double> swag_rate, swag_least_sd;
  bool distill = false;
  Index distill_steps = 100;
  double distill_rate = 0.01;
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
  std::string init = "zero";        // zero | prior | mode | random | model | list | file:PATH
  std::vector<double> init_values;  // when init == "list"
};

// Gradient descent before the first iteration; none with 0 epochs.
struct WarmUpConfig {
  Index epochs = 0;
  Index batch = 64;    // rows of a client a step
  double rate = 0.05;  // of the mean loss of a row; the largest where it changes
  double momentum = 0.9;
  std::string schedule = "one-cycle";  // one-cycle | constant
  std::vector<std::string> augment;    // of images: flip, crop
};

struct OutputConfig {
  std::string dir = "pollen-out";
  std::vector<std::string> draws = {"csv"};
  Index metrics_every = 100;
  bool lp = true;
  int ece_bins = 15;
  Index clients = 200;       // with latents: the first so many leave draws and scores of their own
  Index client_draws = 250;  // a chain
};

// What a run may give away (docs/privacy.md). Nothing is accounted unless a key is set.
struct PrivacyConfig {
  std::optional<double> target_epsilon;
  std::optional<double> delta;  // 1e-5 unless the three below are all set
  std::optional<double> delta_0, delta_1, delta_2;
  std::optional<std::string> on_spent;    // stop | warn
  std::optional<std::string> accountant;  // theorem | renyi: the one target_epsilon is held against
  std::optional<std::string> adversary;   // server | outside
  std::vector<std::string> accept;        // what may touch the data outside the accountants
};

// A real federation (docs/federation.md): who is expected, and what happens where somebody is missing.
struct FederationConfig {
  std::vector<std::string> expect;        // the clients' names, in the order of their numbers
  std::optional<Index> expect_count;      // or how many, whatever their names
  std::optional<Index> quorum;            // the least number to start and, where skipping is allowed, to go on
  std::optional<double> start_timeout;    // seconds to wait for the rest once there is a quorum
  std::optional<double> round_deadline;   // seconds a round waits for its clients before on_missing holds
  std::optional<std::string> on_missing;  // wait | skip | abort
};

// The network whose time a run keeps (docs/network-time.md). No key set: none.
struct NetworkTimeConfig {
  std::optional<std::string> preset;  // phone | hospital | datacentre
  std::string trace;                  // a file with every client's own numbers, in place of these:
  std::optional<double> uplink_mbps, downlink_mbps, latency_ms, gradients_per_second;      // medians over clients
  std::optional<double> uplink_spread, downlink_spread, latency_spread, gradients_spread;  // sd of the logarithm
  std::optional<double> jitter_spread;                 // likewise, of a client from one exchange to the next
  std::optional<double> availability, window_seconds;  // the share of time a client is there, and how long at a time
  std::optional<double> server_seconds;                // the server's own, an exchange
};

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

  std::string file;             // for messages; "built-in" where there is none
  std::set<std::string> given;  // the keys the user set
};

// The built-in Titanic problem: its text, as a user would write it.
const char* builtin_config();

using Overrides = std::vector<std::string>;  // "sampler.step=1e-4"

// A store as data.source settles the keys of [data]: those left out are the store's, others must agree
// with it. Not in read_config_text(), which opens no file: the text may be somebody else's.
Config read_config_text(const std::string& text, const std::string& file, const Overrides& overrides = {});
// The built-in problem. With another sampler's name among the overrides, without the settings chosen for its own.
Config read_builtin_config(const Overrides& overrides = {});
Config read_config_file(const std::string& path, const Overrides& overrides = {});

// Fills every default that depends on other keys (not step = "auto") and returns the recipe. `clients` and `dimension`
// are the problem's. Appends to `warnings`: keys that this sampler does not use, combinations without theory.
Recipe complete(Config& config, Index clients, Index dimension, std::vector<std::string>& warnings);

// Whether the model has latents of every client's own: a mixed-effects model, or a network with model.personal.
bool is_mixed(const Config& config);

// Whether the model is a neural network.
bool is_network(const Config& config);

// Whether any key of [privacy] is set.
bool asks_for_privacy(const Config& config);

// Whether any key of [network] is set and the sampler has exchanges to be timed.
bool keeps_network_time(const Config& config);

std::string to_toml(const Config& config);
std::string data_to_toml(const Config& config);  // [data] alone

}  // namespace pollen
