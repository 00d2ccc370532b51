#include "run/recommendation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "pollen/errors.h"
#include "recipe/samplers.h"
#include "run/planning.h"
#include "run/problem.h"

namespace pollen {

namespace {

using Family = NamedSampler::Family;

// Settings that are tried beside a sampler's defaults, because no forecast of one follows from that of another.
constexpr std::array<std::uint32_t, 3> kLevels = {4, 16, 256};
constexpr std::array<Index, 4> kLocalSteps = {2, 5, 10, 30};

struct Candidate {
  std::string sampler;
  std::optional<std::uint32_t> levels = {};
  std::optional<Index> local_steps = {};

  std::string words() const {
    if (levels) return fmt::format("levels = {}", *levels);
    return local_steps ? fmt::format("local_steps = {}", *local_steps) : std::string();
  }
};

std::vector<Candidate> candidates() {
  std::vector<Candidate> all;
  for (const NamedSampler& row : recipe_samplers()) {
    const std::string name = row.name;
    if (row.family == Family::personal || name == "custom" || name == "lmc") continue;  // lmc is lsd
    if (row.family == Family::fald || row.family == Family::fa_ld)
      for (const Index steps : kLocalSteps) all.push_back({.sampler = name, .local_steps = steps});
    else if (row.compressor == std::string("qsgd"))
      for (const std::uint32_t levels : kLevels) all.push_back({.sampler = name, .levels = levels});
    else
      all.push_back({.sampler = name});
  }
  return all;
}

// Whether a key of [sampler] is about the coordinates and not about the sampler.
bool is_kept(const std::string& key) {
  return key == "sampler.precondition" || key == "sampler.curvature_clients" || key == "sampler.mode_tolerance";
}

// The configuration with a candidate in the place of its sampler. What was set for that sampler, and the length of its
// run, are left out; the coordinates stay.
Config with_sampler(Config config, const Candidate& candidate) {
  const SamplerConfig before = config.sampler;
  const Index chains = config.run.chains;
  config.sampler = {};
  config.sampler.name = candidate.sampler;
  config.sampler.precondition = before.precondition;
  config.sampler.curvature_clients = before.curvature_clients;
  config.sampler.mode_tolerance = before.mode_tolerance;
  if (candidate.levels) config.sampler.levels = *candidate.levels;
  config.sampler.local_steps = candidate.local_steps;
  config.reference = {};
  const RunConfig run;
  config.run.iterations = run.iterations, config.run.burn_in = run.burn_in, config.run.thin = run.thin;
  config.run.chains = chains;
  config.output.lp = false;
  std::erase_if(config.given, [&](const std::string& key) {
    const bool length = key == "run.iterations" || key == "run.burn_in" || key == "run.thin";
    return length || (key.starts_with("sampler.") && !is_kept(key));
  });
  config.given.insert("sampler.name");
  if (candidate.levels) config.given.insert("sampler.levels");
  if (candidate.local_steps) config.given.insert("sampler.local_steps");
  return config;
}

bool has_network(const Config& config) {
  return std::ranges::any_of(config.given, [](const std::string& key) { return key.starts_with("network."); });
}

SpentTime spent(Experiment& experiment, const Config& networked, const plan::Messages& messages, double rounds) {
  const auto exchange = [&](const plan::Messages& sent) { return planned_time(experiment, sent, networked)->exchange; };
  const auto bits = static_cast<double>(experiment.config().run.chains);  // a bit per chain
  const SimulatedTime each = exchange(messages), one = exchange({bits, bits}), two = exchange({2 * bits, 2 * bits});
  const double under_way = each.down + each.up, empty = 2 * (one.down + one.up) - (two.down + two.up);
  const double latency = std::clamp(empty, 0.0, under_way);
  return {rounds * each.waiting, rounds * latency, rounds * (under_way - latency), rounds * each.computing,
          rounds * each.server};
}

// Writes down how to get this run from the configuration that the user has.
void add_settings(const Config& given, const Experiment& experiment, const Candidate& candidate, SamplerOffer& offer) {
  const SamplerConfig& s = experiment.config().sampler;
  auto& settings = offer.settings;
  settings = {"sampler.name=" + offer.sampler, "sampler.precondition=" + s.precondition};
  if (candidate.levels) settings.push_back(fmt::format("sampler.levels={}", *candidate.levels));
  if (candidate.local_steps) settings.push_back(fmt::format("sampler.local_steps={}", *candidate.local_steps));
  if (offer.step > 0)
    settings.push_back(fmt::format("sampler.step={:.5g}", offer.step));
  else if (given.given.contains("sampler.step"))
    settings.emplace_back("sampler.step=auto");
  settings.push_back(fmt::format("run.iterations={}", std::llround(offer.iterations)));
  settings.push_back(fmt::format("run.burn_in={}", std::llround(offer.burn_in)));
  if (given.run.thin != 1) settings.emplace_back("run.thin=1");
  if (given.file == "built-in") return;  // which leaves its sampler's settings out for another one
  for (const std::string& key : given.given) {
    const auto sets = [&](const std::string& setting) { return setting.starts_with(key + "="); };
    if (key.starts_with("sampler.") && !is_kept(key) && std::ranges::none_of(settings, sets))
      offer.without.push_back(key);
  }
}

// A chain starts at about twice the posterior's spread around the mode. Of that, 3 τ iterations leave exp(-6).
double langevin_burn_in(double tau) { return std::max(100.0, std::ceil(3 * tau)); }

bool add_langevin(Experiment& experiment, const RecommendRequest& request, SamplerOffer& offer, std::string& why) {
  const auto forecast = experiment.forecast_within(request.within, why);
  if (!forecast) return false;
  offer.step = forecast->step;
  offer.sd_off = std::max(std::abs(forecast->most_ratio - 1), std::abs(forecast->least_ratio - 1));
  offer.mean_off = forecast->bias;
  constexpr double kNearly = 0.9;  // of what is allowed: then it is the bias that limits the step
  const bool biased = std::max(offer.sd_off, offer.mean_off) > kNearly * request.within;
  offer.limit = biased ? forecast->cause : "the curvature, far from the mode";
  offer.burn_in = langevin_burn_in(forecast->tau);
  offer.iterations =
      offer.burn_in + std::ceil(request.draws * forecast->tau / static_cast<double>(experiment.config().run.chains));
  return true;
}

// Fills in an offer; if there is none, says why.
bool add_costs(Experiment& experiment, const RecommendRequest& request, const std::vector<Config>& networks,
               SamplerOffer& offer, std::string& why) {
  Recipe recipe = experiment.recipe();
  const Index d = experiment.dimension(), b = experiment.clients(), chains = experiment.config().run.chains;
  plan::Messages messages;
  if (recipe.exact) {
    const auto forecast = experiment.exact_forecast(request.draws, why);
    if (!forecast) return false;
    offer.limit = "none: its step makes no error";
    offer.burn_in = static_cast<double>(forecast->burn_in);
    offer.iterations = forecast->iterations;
    offer.rounds = forecast->rounds;
    messages = messages_of(recipe, b, d, chains);
    const double columns = offer.rounds * forecast->columns / static_cast<double>(chains) * static_cast<double>(b);
    offer.up_bits = columns * messages.up_bits;
    offer.down_bits = columns * messages.down_bits;
  } else {
    if (!add_langevin(experiment, request, offer, why)) return false;
    recipe.step.size = offer.step;
    messages = messages_of(recipe, b, d, chains);
    const plan::Traffic traffic = plan::traffic(
        {.constants = counting_constants(experiment), .method = method_of(recipe, d), .messages = messages},
        offer.iterations);
    offer.rounds = traffic.rounds, offer.up_bits = traffic.up_bits, offer.down_bits = traffic.down_bits;
  }
  for (const Config& networked : networks) offer.time.push_back(spent(experiment, networked, messages, offer.rounds));
  return true;
}

void add_offer(const Config& config, const Candidate& candidate, Recommendation& all) {
  SamplerOffer offer{.sampler = candidate.sampler, .variant = candidate.words()};
  std::string why;
  try {
    Experiment experiment(with_sampler(config, candidate));
    const Config& complete = experiment.config();
    std::vector<Config> networks;
    for (const std::string& name : all.networks)
      networks.push_back(has_network(config) ? complete : with_network(complete, name, experiment.dimension()));
    if (add_costs(experiment, all.request, networks, offer, why)) {
      add_settings(config, experiment, candidate, offer);
      all.offers.push_back(std::move(offer));
      return;
    }
  } catch (const ConfigError& error) {
    why = fmt::format("{}: {}", error.problems().front().where, error.problems().front().what);
  } catch (const NumericError& error) {
    why = error.what();
  }
  if (!offer.variant.empty()) why = offer.variant + ": " + why;
  // Of several settings the last one's reason is kept.
  std::erase_if(all.left_out, [&](const LeftOut& out) { return out.sampler == candidate.sampler; });
  all.left_out.push_back({candidate.sampler, why});
}

}  // namespace

TimeShare largest_share(const SpentTime& t) {
  const std::array<TimeShare, 5> shares = {TimeShare{"clients that are away", t.waiting},
                                           {"latency", t.latency},
                                           {"bits on the lines", t.bits},
                                           {"gradients at the clients", t.computing},
                                           {"the server", t.server}};
  return *std::ranges::max_element(shares, {}, &TimeShare::seconds);
}

Recommendation recommend(const Config& config, const RecommendRequest& request) {
  if (is_mixed(config))
    throw ConfigError(config.file + ": model",
                      "found a model whose clients have latents, accepted with --recommend: one without, because "
                      "samplers of latents have no forecast");
  make_problem(with_sampler(config, {.sampler = "lsd"}));  // what is wrong with the data is an error of its own
  Recommendation all;
  all.request = request;
  all.networks = network_presets();
  if (has_network(config)) all.networks = {config.network_time.preset.value_or("the network of [network]")};
  for (const Candidate& candidate : candidates()) add_offer(config, candidate, all);
  // A sampler that has an offer with some of its settings is not left out.
  std::erase_if(all.left_out, [&](const LeftOut& out) {
    return std::ranges::any_of(all.offers, [&](const SamplerOffer& offer) { return offer.sampler == out.sampler; });
  });
  return all;
}

std::vector<const SamplerOffer*> ranking(const Recommendation& all, std::size_t network) {
  std::vector<const SamplerOffer*> sorted;
  for (const SamplerOffer& offer : all.offers) sorted.push_back(&offer);
  std::ranges::stable_sort(sorted, {}, [&](const SamplerOffer* o) { return o->time[network].total(); });
  std::vector<const SamplerOffer*> best;
  for (const SamplerOffer* offer : sorted)
    if (std::ranges::none_of(best, [&](const SamplerOffer* o) { return o->sampler == offer->sampler; }))
      best.push_back(offer);
  return best;
}

}  // namespace pollen
