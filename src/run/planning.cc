#include "run/planning.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "pollen/compress.h"

namespace pollen {

namespace {

// Bits of what goes to or from a client for all chains. Code lengths can depend on the values, so vectors of standard
// normals are encoded as a probe.
double probe_bits(const CompressorSpec& spec, Index d, Index chains) {
  const auto compressor = make_compressor(spec, d);
  Panel v(d, chains), decoded(d, chains);
  std::vector<Encoding> parts;
  for (Index c = 0; c < chains; ++c) {
    const auto chain = static_cast<std::uint32_t>(c);
    normals(make_stream(1, chain, Purpose::power), v.column(c));
    parts.push_back({v.column(c), make_stream(1, chain, Purpose::compress_up), decoded.column(c)});
  }
  Scratch scratch;
  if (compressor->joins())
    compressor->encode_joined(parts, {}, Compressor::Role::message, nullptr, scratch);
  else
    compressor->encode_all(parts, scratch);
  double bits = 0;
  for (const Encoding& part : parts) bits += static_cast<double>(part.bits);
  return bits;
}

// Bits of a coded reply of all chains, from probes after whose bits both ends know the messages' size. Of b clients
// whose parts of a posterior are alike, each sends normal numbers of √(γ/(2bκ)) times the noise that its code may add,
// where γ is the step in coordinates in which the posterior has unit variance.
double coded_bits(const Recipe& recipe, Index clients, Index d, Index chains) {
  constexpr int kSettle = 200, kProbes = 50;
  constexpr double kUsualStep = 0.1;
  const double step = recipe.preconditioned && recipe.step.size > 0 ? recipe.step.size : kUsualStep;
  const double size = std::sqrt(step / (2 * static_cast<double>(clients) * recipe.noise_share));
  const auto compressor = make_compressor(recipe.up.compressor, d);
  Panel v(d, chains), decoded(d, chains);
  std::vector<Encoding> parts(static_cast<std::size_t>(chains));
  Scratch scratch;
  CodeMemory memory;
  double bits = 0;
  for (int n = 0; n < kSettle + kProbes; ++n) {
    for (Index c = 0; c < chains; ++c) {
      Stream stream = make_stream(1, static_cast<std::uint32_t>(c), Purpose::power);
      stream.round = static_cast<std::uint64_t>(n);
      normals(stream, v.column(c));
      for (double& x : v.column(c)) x *= size;
      stream.client = 1;
      parts[static_cast<std::size_t>(c)] = {v.column(c), stream, decoded.column(c)};
    }
    memory = compressor->encode_joined(parts, memory, Compressor::Role::message, nullptr, scratch);
    if (n >= kSettle) bits += static_cast<double>(parts.front().bits) / kProbes;
  }
  return bits;
}

// Why no theorem here covers the recipe, for reasons that plan::Method cannot express; empty if there is none.
std::string uncovered(const Recipe& recipe, const std::string& precondition) {
  if (recipe.exact) return recipe.name + " has no step-size error, and how many rounds it takes is not known before";
  if (recipe.reference) return recipe.name + " is a reference or a competitor, none of the five papers' samplers";
  if (precondition != "none")
    return "sampler.precondition, as the constants here are those of the model's own coordinates";
  if (recipe.sends_changes()) return "compressed messages of local steps";
  if (recipe.local && recipe.participation.policy != ParticipationPolicy::full && !recipe.local->by_size)
    return "absent clients with equal weights";
  return {};
}

void strike_out(plan::Plan& plan, const std::string& why) {
  plan.theorem.reset();
  plan.bound.reset();
  plan.reach.reset();
  plan.choice.reset();
  plan.limits.clear();
  plan.warnings = {"no theorem covers this combination: " + why};
}

void add_notes(const Experiment& experiment, PlanReport& report) {
  const Recipe& recipe = experiment.recipe();
  report.notes.insert(report.notes.begin(), experiment.notes().begin(), experiment.notes().end());
  if (recipe.local && recipe.local->clip)
    report.notes.emplace_back("sampler.clip: the theorem is about gradients that are not clipped");
  if (recipe.local && recipe.local->decaying)
    report.notes.emplace_back("schedule = \"decaying\": planned as a constant step at the admissible one");
  else if (!experiment.config().sampler.step && report.plan.theorem)
    report.notes.emplace_back(
        "step = \"auto\": planned at the admissible step; a run picks its own, which may be above it");
  if (report.plan.theorem && !report.plan.bound && report.plan.step > 0)
    report.notes.push_back(
        fmt::format("--set sampler.step={:.3g} shows the bound at an admissible step", 0.99 * report.plan.step));
  if (recipe.exact)
    report.notes.push_back(fmt::format("rounds, bits and gradients are those of one exchange per transition; {}",
                                       recipe.name == "mala"
                                           ? "the search for the step in the burn-in adds some"
                                           : "a transition takes as many as its trajectory has leapfrog steps"));
  report.notes.emplace_back(
      "bits: of all chains, from a probe message of each code; gradients: minibatches of one chain");
}

void add_privacy(Experiment& experiment, PlanReport& report) {
  Recipe recipe = experiment.recipe();
  if (!recipe.local || !recipe.local->by_size || !asks_for_privacy(experiment.config())) return;
  if (recipe.local->decaying && recipe.step.smoothness == 0)
    recipe.step.smoothness = 0.5 / std::max(report.plan.step, 1e-300);
  if (recipe.step.size == 0) recipe.step.size = report.plan.step;
  report.meter.emplace(experiment.config(), recipe, experiment.questions().sizes(),
                       uncovered_queries(experiment.config(), experiment.data()));
  report.privacy = report.meter->after(experiment.config().run.iterations);
  report.notes.emplace_back("privacy: what this plan itself learnt from the clients is not accounted for");
}

// The seconds that all chains' gradients of an iteration take here, from full gradients at the mode.
double gradient_seconds(Experiment& experiment, const std::vector<double>& at) {
  using Clock = std::chrono::steady_clock;
  const Index d = experiment.dimension(), chains = experiment.config().run.chains;
  Panel where(d, chains), sum(d, chains);
  for (Index c = 0; c < chains; ++c) std::ranges::copy(at, where.column(c).begin());
  const auto begin = Clock::now();
  double seconds = 0;
  int times = 0;
  for (; times < 1000 && seconds < 0.02; ++times) {
    experiment.questions().transport().query({Query::What::gradient, where, {}}, sum);
    seconds = std::chrono::duration<double>(Clock::now() - begin).count();
  }
  double all = 0, used = 0;
  for (const Index n : experiment.questions().sizes()) {
    all += static_cast<double>(n);
    used += static_cast<double>(experiment.recipe().batch.of(n));
  }
  return seconds / times * used / std::max(all, 1.0);
}

// Adds the forecast. It comes last, because it may change the coordinates in which the clients are asked.
void add_forecast(Experiment& experiment, const plan::PlanInput& input, bool exact, PlanReport& report) {
  report.forecast = experiment.plan_forecast(exact, report.no_forecast);
  if (!report.forecast) return;
  constexpr double kDraws = 1000;
  report.draws.iterations = kDraws * report.forecast->tau / static_cast<double>(experiment.config().run.chains);
  report.draws.traffic = plan::traffic(input, report.draws.iterations);
  const std::vector<double> at = experiment.questions().mode();
  report.draws.seconds = report.draws.traffic.gradients * gradient_seconds(experiment, at);
}

}  // namespace

plan::Method method_of(const Recipe& recipe, Index dimension) {
  plan::Method method;
  const bool control = recipe.oracle == OracleKind::control;
  method.oracle = control ? OracleKind::minibatch : recipe.oracle;
  method.memory = recipe.up.memory;
  method.memory_rate = recipe.up.rate;
  method.memory_at_gradient = recipe.up.start_at_gradient;
  method.refresh = static_cast<double>(recipe.refresh);
  method.down_feedback = recipe.down.feedback;
  if (recipe.down.feedback) method.down_alpha = make_compressor(recipe.down.compressor, dimension)->alpha(dimension);
  method.participation = recipe.participation;
  if (!recipe.local) return method;
  const LocalSteps& local = *recipe.local;
  method.averaging = plan::Averaging{.random = local.communicate > 0,
                                     .communicate = local.communicate > 0 ? local.communicate : 1,
                                     .steps = static_cast<double>(local.steps),
                                     .control_variate = control,
                                     .refresh = control ? local.refresh : 1,
                                     .common = local.common,
                                     .by_size = local.by_size};
  return method;
}

plan::Messages messages_of(const Recipe& recipe, Index clients, Index dimension, Index chains) {
  plan::Messages messages;
  messages.down_bits = static_cast<double>(chains) *
                       probe_bits(recipe.down.feedback ? recipe.down.compressor : CompressorSpec{}, dimension, 1);
  if (recipe.noise_share > 0) {
    messages.up_bits = coded_bits(recipe, clients, dimension, chains);
    return messages;
  }
  if (recipe.exact) {  // a potential and its gradient
    messages.up_bits = 64 * static_cast<double>((dimension + 1) * chains);
    return messages;
  }
  double up = recipe.up.per_client.empty() ? probe_bits(recipe.up.compressor, dimension, chains) : 0;
  for (const CompressorSpec& spec : recipe.up.per_client)
    up += probe_bits(spec, dimension, chains) / static_cast<double>(recipe.up.per_client.size());
  messages.up_bits = up;
  return messages;
}

PlanReport make_report(Experiment& experiment, const PlanRequest& request) {
  PlanReport report;
  const Config& config = experiment.config();
  const Recipe& recipe = experiment.recipe();
  plan::PlanInput input;
  input.constants = estimate_constants(experiment, report.notes);
  input.method = method_of(recipe, experiment.dimension());
  input.messages = messages_of(recipe, experiment.clients(), experiment.dimension(), config.run.chains);
  if (!recipe.local || !recipe.local->decaying) input.step = config.sampler.step;
  input.iterations = static_cast<double>(config.run.iterations);
  input.precision = request.precision;
  input.round_price = request.round_price;
  report.plan = plan::make_plan(input);
  if (const std::string why = uncovered(recipe, config.sampler.precondition); !why.empty() && report.plan.theorem)
    strike_out(report.plan, why);
  if (report.plan.theorem && !experiment.questions().curvature_is_bound())
    report.plan.warnings.emplace_back(
        "the curvature is that at the mode, where the theorem asks for a bound at every position: a guide, no "
        "guarantee");
  add_notes(experiment, report);
  add_privacy(experiment, report);
  report.time = planned_time(experiment, input.messages, config);
  add_forecast(experiment, input, request.exact, report);
  return report;
}

}  // namespace pollen
