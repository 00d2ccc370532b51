// Saves and loads an experiment between two iterations, and checks that a saved state belongs to it.
#include "experiment_parts.h"
#include "pollen/errors.h"

namespace pollen {

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
  if (text != mine) throw WireError("saved state: it is of another configuration");
  double step = recipe.step.size;
  archive.field(step);
  if (config.sampler.step.value_or(step) != step) throw WireError("saved state: it is of another sampler.step");
  recipe.step.size = step;
  const bool fixed = step > 0 && !(recipe.local && recipe.local->decaying);
  if (fixed) config.sampler.step = step;
}

void ExperimentParts::archive_found(Archive& archive) {
  std::vector<std::string> looks;
  for (const UncoveredQuery& look : outside) looks.insert(looks.end(), {look.name, look.what});
  archive.texts(looks);
  outside.clear();
  for (std::size_t i = 0; i + 1 < looks.size(); i += 2) outside.push_back({looks[i], looks[i + 1]});
  archive.field(kept);
  archive.field(emitted);
  archive.field(found.smoothness);
  archive.texts(found.warnings);
  archive.texts(found.notes);
  std::uint64_t size = found.mode.size();
  archive.field(size);
  if (size != 0 && size != static_cast<std::uint64_t>(problem.dimension()))
    throw WireError("saved state: an array has another size");
  found.mode.resize(size);
  archive.array(std::span(found.mode));
}

// Saves the constants of a decaying step, or checks that those of the state are the same.
void ExperimentParts::archive_decay(Archive& archive) {
  if (!recipe.local || !recipe.local->decaying) return;
  double l = recipe.step.smoothness, m = recipe.step.convexity;
  archive.field(l);
  archive.field(m);
  if (config.sampler.smoothness.value_or(l) != l || config.sampler.convexity.value_or(m) != m)
    throw WireError("saved state: it is of another decaying step");
  config.sampler.smoothness = recipe.step.smoothness = l;
  config.sampler.convexity = recipe.step.convexity = m;
}

void ExperimentParts::archive(Archive& archive) {
  archive_configuration(archive);
  archive_found(archive);
  archive_decay(archive);
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
    parts_->meter = PrivacyMeter(parts_->config, parts_->recipe, parts_->problem.rows, parts_->outside);
}

}  // namespace pollen
