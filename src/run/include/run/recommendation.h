// Forecasts what every sampler would take to deliver effective draws of a configuration's posterior, so that the
// fastest one within a stated bias can be named (docs/plan.md, "Which sampler"). Nothing is written, and no rows move.
//
//   const Recommendation all = recommend(config, {.within = 0.03});
//   ranking(all, 0).front()->settings;          // for all.networks[0]
#pragma once

#include <string>
#include <vector>

#include "pollen/config.h"

namespace pollen {

struct RecommendRequest {
  double within = 0.03;  // by how many posterior sds sampled sds and means may be off
  double draws = 1000;   // the effective draws of the slowest parameter that are wanted, of all chains together
};

// Where the seconds of a whole run go, along the slowest participant of every exchange.
struct SpentTime {
  double waiting = 0;    // for clients that are away
  double latency = 0;    // of messages, whatever they carry
  double bits = 0;       // under way
  double computing = 0;  // gradients
  double server = 0;
  double total() const { return waiting + latency + bits + computing + server; }
};
struct TimeShare {
  const char* name;  // in words, such as "latency"
  double seconds;
};
TimeShare largest_share(const SpentTime& time);

// A sampler with its settings, and what it takes to the draws that are wanted. The burn-in is included and set-up is
// not, because it is nearly the same for all.
struct SamplerOffer {
  std::string sampler;
  std::string variant = {};                // the settings that were tried besides the step, in words; may be empty
  std::vector<std::string> settings = {};  // as --set takes them; a run with these is the one that is forecast
  std::vector<std::string> without = {};   // keys of the configuration's own sampler that the run must not have
  double step = 0;                         // 0: the sampler finds its own in the burn-in
  double sd_off = 0, mean_off = 0;         // in posterior sds; 0 for a sampler without an error of the step
  std::string limit = {};                  // what keeps the step from being larger
  double burn_in = 0, iterations = 0;      // of every chain; the burn-in is a part of the iterations
  double rounds = 0, up_bits = 0, down_bits = 0;  // bits: of all clients
  std::vector<SpentTime> time = {};               // one per network
};

struct LeftOut {
  std::string sampler, why;
};

struct Recommendation {
  RecommendRequest request;
  std::vector<std::string> networks;  // the one of [network], or all presets if there is no such section
  std::vector<SamplerOffer> offers;
  std::vector<LeftOut> left_out;
};

// Throws ConfigError for models with latents, whose samplers have no forecast.
Recommendation recommend(const Config& config, const RecommendRequest& request);

// The fastest offer of every sampler in a network, the fastest first.
std::vector<const SamplerOffer*> ranking(const Recommendation& all, std::size_t network);

}  // namespace pollen
