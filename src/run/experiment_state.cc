// Saves and loads an experiment between two iterations, and checks that a saved state belongs to it.
#include <fmt/format.h>

#include "experiment_parts.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

template <class Value>
[[noreturn]] void refuse_state(const std::string& key, const Value& found, const Value& accepted) {
  throw WireError(fmt::format("saved state: found {} = {}, accepted: {}", key, found, accepted));
}

// Checks a number of the saved state against the one that this run's configuration gives, if any.
void check_given(const char* key, double found, const std::optional<double>& given) {
  if (given.value_or(found) != found) refuse_state(key, found, *given);
}

}  // namespace

// Saves the configuration and the step, or checks that those of the state are the same. "auto" and the step that it
// picked count as the same configuration.
void ExperimentParts::archive_configuration(Archive& archive) {
  Config stepless = config;
  if (!personal) stepless.sampler.step.reset();
  stepless.sampler.smoothness.reset();
  stepless.sampler.convexity.reset();
  std::string text = to_toml(stepless);
  const std::string mine = text;
  archive.text(text);
  if (const auto other = first_difference(mine, text)) refuse_state(other->key, other->right, other->left);
  if (text != mine) throw WireError("saved state: found another [output], accepted: that of this run");
  StepSize& step = recipe.step;
  for (double* x : {&step.size, &step.smoothness, &step.convexity}) archive.field(*x);
  SamplerConfig& given = config.sampler;
  check_given("sampler.step", step.size, given.step);
  const bool decaying = recipe.local && recipe.local->decaying;
  if (step.size > 0 && !decaying) given.step = step.size;
  if (!decaying) return;
  check_given("sampler.smoothness", step.smoothness, given.smoothness);
  check_given("sampler.convexity", step.convexity, given.convexity);
  given.smoothness = step.smoothness;
  given.convexity = step.convexity;
}

void ExperimentParts::archive_found(Archive& archive) {
  std::vector<std::string> looks;
  for (const UncoveredQuery& look : uncovered) looks.insert(looks.end(), {look.name, look.what});
  archive.texts(looks);
  uncovered.clear();
  for (std::size_t i = 0; i + 1 < looks.size(); i += 2) uncovered.push_back({looks[i], looks[i + 1]});
  archive.field(emitted);
  archive.field(found.smoothness);
  bool forecast = found.forecast.has_value();
  archive.flag(forecast);
  if (forecast && !found.forecast) found.forecast.emplace();
  if (forecast) found.forecast->archive(archive);
  archive.texts(found.warnings);
  archive.texts(found.notes);
  archive.array_or_none(found.mode, static_cast<std::uint64_t>(problem.dimension()));
}

void ExperimentParts::archive(Archive& archive) {
  archive_configuration(archive);
  archive_found(archive);
  archive_coordinates(archive);
  if (!engine) make_engine();
  if (!clock) engine->listen({});  // so that the saved state is the same with and without an observer
  engine->archive(archive);
  listen();
  if (clock) clock->archive(archive);
  tally.archive(archive);
}

Bytes Experiment::save() const {
  Archive archive;
  save(archive);
  return archive.take();
}

void Experiment::save(Archive& archive) const { parts_->archive(archive); }

void Experiment::load(ByteView state) {
  Archive archive(state);
  parts_->archive(archive);
  archive.finish();
  if (!parts_->personal)
    parts_->meter = PrivacyMeter(parts_->config, parts_->recipe, parts_->problem.rows, parts_->uncovered);
}

}  // namespace pollen
