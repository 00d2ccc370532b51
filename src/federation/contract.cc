#include "federation/contract.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/coordinates.h"
#include "oracle/oracles.h"
#include "personal/baselines.h"
#include "recipe/config_difference.h"
#include "recipe/key.h"
#include "run/privacy_meter.h"
#include "run/problem.h"

namespace pollen {

namespace {

using What = Query::What;

// In the order of Query::What. Those that never come over a wire have names, too, for refusals.
constexpr std::array<const char*, kKinds> kKindNames = {"potential",
                                                        "gradient",
                                                        "curvature-product",
                                                        "fixed-point-gradient",
                                                        "memory-gradient",
                                                        "curvature-bounds",
                                                        "row-numbers",
                                                        "local-position",
                                                        "warm-up-gradient",
                                                        "latents",
                                                        "start",
                                                        "hessian",
                                                        "coordinates",
                                                        "noise",
                                                        "pooled-fit",
                                                        "information",
                                                        "observed-information",
                                                        "potential-and-gradient",
                                                        "test-scores"};

// The most questions of each kind in set-up. The search for the mode stops after 2,000 exchanges, and a server that
// begins again may search once more; a search by Hessians asks for fewer than ten and a check of the mode for two more;
// the largest curvature takes at most 100 products; a flat prior one product per coefficient, of which there are at
// most Coordinates::kMostFull then; a forecast 20 potentials per coefficient, with one more at the mode for every 32 of
// them.
constexpr std::int64_t kAroundMode = 21'000;
constexpr std::int64_t kModeSearch = 4000, kStarts = 64, kHessians = 32, kProducts = 200,
                       kDirections = Coordinates::kMostFull, kNoiseParts = 16, kCoordinates = 4, kOnce = 2;
// The fit without latents takes at most 30 steps with ten halvings each. The steps of phi and beta are renewed twice,
// and the observed information is asked at five points with up to three numbers of draws.
constexpr std::int64_t kPooledFit = 700, kRenewals = 2, kObserved = 15;
// Steps of a warm-up per epoch. A site cannot know how many rows the others have.
constexpr std::int64_t kStepsOfEpoch = 10'000;
// Questions of the rounds are asked again by a server that continues from its last checkpoint.
constexpr std::int64_t kAskedAgain = 100;

// What a configuration says about the questions of its sampler.
struct Needs {
  explicit Needs(const Config& config) {
    const SamplerConfig& s = config.sampler;
    latents = is_mixed(config);
    baseline = find_baseline(s.name) != nullptr;
    if (latents) {
      joint = samples_jointly(config);
      automatic = !baseline && !joint && !is_network(config) && !s.population_step && !s.shared_step;
      return;
    }
    const NamedSampler* named = find_sampler(s.name);
    const bool custom = s.name == "custom";
    const std::string oracle = custom ? s.oracle.value_or("full") : named == nullptr ? "full" : named->oracle;
    const OracleKind kind = oracles().at(oracle).kind;
    exact = is_exact(config);
    local = named != nullptr && !exact &&
            (named->family != NamedSampler::Family::gradient || (custom && (s.local_steps || s.communicate)));
    control = local && kind == OracleKind::control;
    fixed_point = kind == OracleKind::fixed_point;
    network = is_network(config);
    around_mode = config.run.init == "auto" && !network;
    coordinates = asks_for_coordinates(config);
    const bool by_size = named != nullptr && named->family == NamedSampler::Family::fa_ld;
    const bool decaying = s.schedule == "decaying", constants = s.smoothness && s.convexity;
    picks_step = decaying ? !constants : !s.step;
    step = !network && !exact && (picks_step || !(by_size && asks_for_privacy(config)));
    const std::string& model = config.model.kind;
    const bool bounded = model == "gaussian" || model == "logistic" || model == "softmax" ||
                         (model == "linear" && config.model.noise_sd.has_value());
    forecast = step && (coordinates || (picks_step && !decaying));
    mode = coordinates || around_mode || config.run.init == "mode" || fixed_point || forecast || (step && !bounded);
  }
  bool exact = false, local = false, control = false, fixed_point = false, network = false, around_mode = false,
       coordinates = false, picks_step = false, step = false, forecast = false, mode = false;
  // Models with latents, which are asked nothing of the above; whether the steps of phi and beta are chosen by
  // curvature.
  bool latents = false, baseline = false, automatic = false;
  bool joint = false;  // hmc with latents, whose leapfrog steps are rounds
};

// The most leapfrog steps of a trajectory of hmc.
double most_leapfrogs(const ReferenceConfig& r) {
  const double given = r.leapfrogs > 0 ? std::ceil(static_cast<double>(r.leapfrogs) * (1 + r.jitter)) : 1e18;
  return std::min(given, static_cast<double>(r.most_leapfrogs));
}

// The most points at which the chains of an exact kernel can ask: their starts, every leapfrog step, and every trial of
// a search for the step, which there is at the start and after every window of the warm-up.
std::int64_t most_points(const Config& config) {
  constexpr double kTrials = 1100, kWindows = 64, kMost = 1e18;
  const ReferenceConfig& r = config.reference;
  const std::string& name = config.sampler.name;
  const double steps = name == "nuts"  ? std::exp2(static_cast<double>(r.max_depth))
                       : name == "hmc" ? most_leapfrogs(r)
                                       : 1;
  const double chain = static_cast<double>(config.run.iterations) * steps + kTrials * kWindows;
  return static_cast<std::int64_t>(std::min(kMost, chain * static_cast<double>(config.run.chains)));
}

}  // namespace

const char* name_of(Phase phase) { return phase == Phase::set_up ? "set-up" : "rounds"; }
const char* name_of(Query::What what) { return kKindNames.at(static_cast<std::size_t>(what)); }

Contract::Contract(Config study, SiteTerms terms) : study_(std::move(study)), terms_(std::move(terms)) {
  study_.data.sources.clear();
  for (std::string* path : named_files(study_.data)) path->clear();
  study_.model.file.clear();
  study_.network_time = {};
  const auto [lp, bins] = std::pair(study_.output.lp, study_.output.ece_bins);
  study_.output = {};
  study_.output.lp = lp;
  study_.output.ece_bins = bins;  // into which the confidences on its test rows are sorted
  count_set_up();
  count_rounds();
}

bool Contract::partial() const {
  return study_.participation.policy != "full" || study_.sampler.scheme != "full" ||
         study_.federation.on_missing.value_or("wait") == "skip";
}

// A trajectory of hmc with latents has a round per leapfrog step. Five more set the clients' coordinates and tell the
// last outcome.
std::int64_t Contract::rounds() const {
  constexpr double kMost = 1e18;
  if (samples_jointly(study_))
    return static_cast<std::int64_t>(
        std::min(kMost, static_cast<double>(study_.run.iterations) * most_leapfrogs(study_.reference) + 5));
  return is_exact(study_) ? 0 : study_.run.iterations;
}

std::int64_t Contract::answers() const {
  std::int64_t all = rounds();
  for (const auto& phase : most_)
    for (const std::int64_t most : phase) all += most;
  return all;
}

void Contract::count_set_up() {
  const Needs needs(study_);
  const auto allow = [&](What what, bool needed, std::int64_t most) {
    if (needed) most_of(Phase::set_up, what) += most;
  };
  // Potentials and gradients are counted by points, of which there is one per chain.
  const std::int64_t chains = study_.run.chains;
  allow(What::value, needs.mode, kModeSearch);
  allow(What::value, needs.around_mode, kStarts * chains);
  allow(What::value, needs.forecast, kAroundMode);
  allow(What::gradient, needs.mode, kModeSearch);
  allow(What::gradient, needs.control, kOnce * chains);
  allow(What::hessian, needs.coordinates || needs.around_mode || needs.forecast, kHessians);
  allow(What::coordinates, needs.coordinates, kCoordinates);
  allow(What::curvature, needs.step, kProducts);
  allow(What::curvature, study_.model.prior == "flat" && (needs.coordinates || needs.around_mode), kDirections);
  allow(What::bounds, needs.step && needs.local, kOnce);
  allow(What::noise, needs.forecast && terms_.curvature, kNoiseParts);
  allow(What::anchor, needs.fixed_point, kOnce);
  allow(What::start_memory, study_.sampler.memory_init == "gradient" && !needs.local, kOnce);
  allow(What::start, needs.baseline, kOnce);
  const bool pools = needs.automatic || (needs.joint && !is_network(study_) && study_.model.kind != "mixed-linear");
  allow(What::pooled, pools && terms_.curvature && study_.run.init == "auto", kPooledFit);
  allow(What::information, needs.automatic && terms_.curvature, kOnce);
  allow(What::descent, study_.warm_up.epochs > 0, study_.warm_up.epochs * kStepsOfEpoch);
}

void Contract::count_rounds() {
  const Needs needs(study_);
  const std::int64_t iterations = study_.run.iterations;
  const auto allow = [&](What what, std::int64_t needed) {
    if (needed > 0) most_of(Phase::rounds, what) = 2 * needed + kAskedAgain;
  };
  allow(What::local,
        (needs.local && study_.sampler.emit == "every" ? iterations : 0) + (needs.control ? iterations : 0));
  allow(What::gradient, needs.control ? iterations * study_.run.chains : 0);
  allow(What::value, study_.output.lp && !needs.exact ? iterations * study_.run.chains : 0);
  allow(What::potential_gradient, needs.exact ? most_points(study_) : 0);
  allow(What::information, needs.automatic && terms_.curvature ? kRenewals : 0);
  const bool hessians = needs.latents && !needs.baseline && !needs.joint && !is_network(study_) && terms_.curvature;
  allow(What::observed, hessians ? kObserved : 0);
  // The scores of the draws, and of their mean. With latents they come with what the site keeps for itself.
  const bool predicts = target_of(study_) != TargetKind::none && asks_for_scores(study_);
  allow(What::scores, predicts || needs.latents ? 2 : 0);
}

std::string Contract::study_text() const { return to_toml(study_); }

std::string Contract::text() const {
  std::string out =
      "# What a site and a study of pollen agree on. The SHA-256 of this file names the agreement, so leave it as it "
      "is.\n" +
      study_text() + fmt::format("\n[contract]\nformat = 1\nwhole_hessian = {}\n", terms_.curvature);
  if (!terms_.batch.empty()) out += fmt::format("batch = {}\n", toml_string(terms_.batch));
  if (!terms_.model_file.empty()) out += fmt::format("model_file = {}\n", toml_string(terms_.model_file));
  if (terms_.facts) {
    const ColumnFacts& facts = *terms_.facts;
    out += fmt::format("target = {}\nwidth = {}\n\n[contract.columns]\n", toml_string(facts.target), facts.width);
    const auto kind = [&](const std::string& name) {
      const auto levels = facts.levels.find(name);
      return levels == facts.levels.end() ? "number" : fmt::format("text, {} levels", levels->second.size());
    };
    for (const std::string& name : facts.columns)
      out += fmt::format("{} = {}\n", toml_string(name), toml_string(kind(name)));
    if (!facts.target.empty())
      out += fmt::format("{} = {}\n", toml_string(facts.target), toml_string(kind(facts.target) + ", the target"));
  }
  for (const Phase phase : {Phase::set_up, Phase::rounds}) {
    out += fmt::format("\n[contract.{}]\n", name_of(phase));
    if (phase == Phase::rounds && rounds() > 0) out += fmt::format("round = {}\n", rounds());
    for (std::size_t k = 0; k < kKinds; ++k)
      if (const std::int64_t count = most(phase, static_cast<What>(k)); count > 0)
        out += fmt::format("{} = {}\n", name_of(static_cast<What>(k)), count);
  }
  return out;
}

std::string contract_difference(const std::string& ours, const std::string& theirs) {
  if (ours == theirs) return {};
  const auto other = first_difference(ours, theirs);
  if (!other) return "its comments or its spaces are others";
  return fmt::format("{} is {} in one and {} in the other", other->key, other->left, other->right);
}

}  // namespace pollen
