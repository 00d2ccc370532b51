// What can be asked of all clients outside sampling: where the mode is and, through the transport, whatever follows
// from it. `pollen plan` and set-up use it. Rows do not leave the clients. One thread per object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pollen/transport.h"
#include "run/problem.h"
#include "run/sampling_forecast.h"

namespace pollen {

class ClientLink;
struct ClientSample;
struct Config;
struct ModeProblem;
struct ModeResult;
class MarginalScale;

// An exchange with all clients before the first iteration. It took place `times` times; bits are per client.
struct SetupExchange {
  std::int64_t down_bits = 0, up_bits = 0, times = 1;
  std::int64_t columns = 0;  // number of positions at which every client evaluates the gradients of `rows`
  Batch rows = {};           // the default is all rows
};

// What set-up has found and done so far.
struct SetupFindings {
  std::vector<std::string> warnings, notes;
  std::vector<SetupExchange> exchanges;
  std::vector<double> mode;                       // empty unless it was found
  double smoothness = 0;                          // L, a bound or an estimate; 0 if nobody asked
  std::optional<SamplingForecast> forecast = {};  // for the step of the run, if there is one
};

class Questions {
 public:
  // All arguments must outlive the object.
  Questions(ClientLink& link, const StatisticalProblem& problem, const Config& config, SetupFindings& found);
  ~Questions();

  Transport& transport() const;
  const Prior& prior() const { return problem_.prior; }
  std::span<const Index> sizes() const { return problem_.rows; }  // N_i
  // Whether the curvature bounds hold for all θ, not only where they are asked for.
  bool curvature_is_bound() const { return problem_.curvature_is_bound; }
  // Says where the search for the mode begins; otherwise it begins at the prior's centre.
  void search_from(std::span<const double> start) { start_.assign(start.begin(), start.end()); }
  // Finds the mode at the first call. NumericError if the search leaves the finite numbers. Of a linear model with
  // unknown σ a search that is scaled in full finds the mode of log σ's own posterior and the best coefficients there.
  const std::vector<double>& mode();
  // The Hessian at the mode by which a normal approximation goes; with such a σ, without what it says about σ and
  // coefficients together.
  Panel curvature_at_mode(bool full);
  // The position at which to ask for curvature: the mode, unless the curvature has a bound that holds everywhere.
  std::vector<double> curvature_point();
  // Asks for ∇²U at a position: d × d, or its diagonal as d × 1. Every client sends one half of its own, once.
  Panel hessian(std::span<const double> at, bool full);
  // Lets only so many clients, drawn at random, answer for whole Hessians: these have the correlations that follow from
  // the sample and the diagonal that all clients add up to. 0: all clients.
  void ask_only(Index clients);
  // Asks a sample of clients for ∇²U at a position, d × d, and takes their rows for representative of all.
  Panel hessian(std::span<const double> at, const ClientSample& sample);
  // Lets the search for the mode go on in coordinates in which the curvature is the same in all directions, so that it
  // depends neither on units nor on correlated columns. `full`: from the whole Hessian, otherwise from its diagonal.
  void scale_search(bool full) { scaled_ = full ? Scaled::full : Scaled::diagonal; }

 private:
  Panel ask_hessian(std::span<const double> at, Index numbers, const ClientSample& sample);
  Panel with_prior(const Panel& half) const;
  ModeResult search();
  ModeResult search_with_scale(ModeProblem problem, std::vector<double> start);
  void look_at_scale(const std::vector<double>& position);

  ClientLink& link_;
  const StatisticalProblem& problem_;
  const Config& config_;
  SetupFindings& found_;
  enum class Scaled { not_at_all, diagonal, full } scaled_ = Scaled::not_at_all;
  std::unique_ptr<MarginalScale> scale_;  // once the mode of a linear model with unknown σ was found
  std::unique_ptr<ClientSample> sample_;  // who answers for whole Hessians; null: all clients
  std::vector<double> start_;             // of the search for the mode; empty: zero or the prior's centre
};

// Whether the curvature is above 0 along every coordinate. The Hessian is d × d, or its diagonal as d × 1.
bool bends_up(const Panel& hessian);

}  // namespace pollen
