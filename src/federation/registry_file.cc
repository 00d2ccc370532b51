// Stores the outcome of set-up on the disk, so that a restarted server knows its federation.
#include <fmt/format.h>

#include "base/sealed_file.h"
#include "federation/federation.h"
#include "pollen/errors.h"
#include "recipe/config_difference.h"

namespace pollen {

namespace {

constexpr Seal kRegistrySeal{"POLLENFD", 2, "a federation's state", "another --state folder starts afresh"};

// Archives a value as the message that carries it.
template <class Message, class Value>
void through_message(Archive& archive, Value& value) {
  Message message{std::move(value)};
  message.archive(archive);
  auto& [content] = message;
  value = std::move(content);
}

}  // namespace

void ConnectionRegistry::archive(Archive& archive) {
  archive.text(run_);
  std::string text = config_text_;
  archive.text(text);
  if (first_difference(config_text_, text)) throw WireError("saved state: it is of another configuration");
  archive.texts(names_);
  if (archive.reading()) make_seats(names_.size());
  std::optional<ColumnFacts>& layout = handshake_.layout;
  std::optional<ColumnScaling>& scaling = handshake_.scaling;
  bool laid_out = layout.has_value(), scaled = scaling.has_value();
  archive.flag(laid_out);
  archive.flag(scaled);
  if (laid_out) through_message<wire::Layout>(archive, layout ? *layout : layout.emplace());
  if (scaled) through_message<wire::Scaling>(archive, scaling ? *scaling : scaling.emplace());
  archive.field(setup_bits_);
  sites_.resize(names_.size());
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    through_message<wire::Site>(archive, sites_[i]);
    if (archive.reading()) seats_[i].site = sites_[i];
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
