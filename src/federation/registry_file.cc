// Stores the outcome of set-up on the disk, so that a restarted server knows its federation.
#include <fmt/format.h>

#include "base/sealed_file.h"
#include "federation/federation.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

constexpr Seal kRegistrySeal{"POLLENFD", 2, "a federation's state", "another --state folder starts afresh"};

}  // namespace

void ConnectionRegistry::archive(Archive& archive) {
  archive.text(run_);
  std::string text = config_text_;
  archive.text(text);
  if (first_difference(config_text_, text)) throw WireError("saved state: it is of another configuration");
  archive.texts(names_);
  if (archive.reading()) handshake_ = ColumnHandshake(config_.data, target_of(config_), names_.size());
  std::optional<ColumnFacts>& layout = handshake_.layout;
  std::optional<ColumnScaling>& scaling = handshake_.scaling;
  bool laid_out = layout.has_value(), scaled = scaling.has_value();
  archive.flag(laid_out);
  archive.flag(scaled);
  if (laid_out) {
    wire::Layout message{layout.value_or(ColumnFacts{})};
    message.archive(archive);
    layout = message.facts;
  }
  if (scaled) {
    wire::Scaling message{scaling.value_or(ColumnScaling{})};
    message.archive(archive);
    scaling = message.scaling;
  }
  archive.field(setup_bits_);
  sites_.resize(names_.size());
  seats_.resize(names_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    wire::Site message{sites_[i]};
    message.archive(archive);
    sites_[i] = message.facts;
    if (archive.reading()) seats_[i].site = message.facts;
  }
  gathered_ = true;
}

void ConnectionRegistry::write(const std::string& path) {
  Archive state;
  archive(state);
  SealedFile file(path, kRegistrySeal, Readers::owner);
  file.write(state.take());
  file.commit();
}

void ConnectionRegistry::read(const std::string& path) {
  const Bytes body = read_sealed(path, kRegistrySeal);
  try {
    Archive state(body);
    archive(state);
    state.finish();
  } catch (const WireError& error) {
    throw ConfigError(path, fmt::format("{}; accepted: the same configuration, or another --state", error.what()));
  }
}

}  // namespace pollen
