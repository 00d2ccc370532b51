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
  StepSize& step = recipe.step;
  for (double* x : {&step.size, &step.smoothness, &step.convexity}) archive.field(*x);
  SamplerConfig& given = config.sampler;
  if (given.step.value_or(step.size) != step.size) throw WireError("saved state: it is of another sampler.step");
  const bool decaying = recipe.local && recipe.local->decaying;
  if (step.size > 0 && !decaying) given.step = step.size;
  if (!decaying) return;
  if (given.smoothness.value_or(step.smoothness) != step.smoothness ||
      given.convexity.value_or(step.convexity) != step.convexity)
    throw WireError("saved state: it is of another decaying step");
  given.smoothness = step.smoothness;
  given.convexity = step.convexity;
}

void ExperimentParts::archive_found(Archive& archive) {
  std::vector<std::string> looks;
  for (const UncoveredQuery& look : outside) looks.insert(looks.end(), {look.name, look.what});
  archive.texts(looks);
  outside.clear();
  for (std::size_t i = 0; i + 1 < looks.size(); i += 2) outside.push_back({looks[i], looks[i + 1]});
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

void ExperimentParts::archive(Archive& archive) {
  archive_configuration(archive);
  archive_found(archive);
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
