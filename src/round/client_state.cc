#include "client_state.h"

#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

std::unique_ptr<Oracle> make_client_oracle(const ClientParts& parts, const Potential& potential, Index chains) {
  const Recipe& recipe = *parts.recipe;
  const Index batch = recipe.batch.of(potential.rows());
  if (parts.oracle != nullptr && *parts.oracle) return (*parts.oracle)(potential, batch, chains);
  if (recipe.local && recipe.local->clip) return make_clipped_oracle(potential, batch, *recipe.local->clip);
  return make_oracle(recipe.oracle, potential, batch, chains);
}

}  // namespace

Client::State::State(const ClientParts& parts, const Potential& potential, Index chains)
    : oracle(make_client_oracle(parts, potential, chains)) {
  const Recipe& recipe = *parts.recipe;
  const Index d = potential.dimension();
  if (recipe.up.memory != Memory::none) memory = Panel(d, chains);
  if (recipe.oracle == OracleKind::fixed_point && parts.prior_share > 0) anchor.resize(static_cast<std::size_t>(d));
  if (!recipe.local) return;
  local = pending = Panel(d, chains);
  local_at.assign(static_cast<std::size_t>(chains), 0);
}

void Client::State::archive(Archive& archive) {
  archive.array(memory.flat());
  archive.array(std::span(anchor));
  archive.array(local.flat());
  archive.array(std::span(local_at));
  for (const auto array : oracle->state()) archive.array(array);
  for (const auto array : oracle->versions()) archive.array(array);
}

Client::State& Client::state() {
  if (!state_) state_ = std::make_unique<State>(parts_, *potential_, chains_);
  return *state_;
}

void Client::archive(Archive& archive) {
  Bytes bytes;
  if (!archive.reading() && state_) {
    Archive own;
    state_->archive(own);
    bytes = own.take();
  }
  archive_state(archive, bytes);
  if (archive.reading()) restore(bytes);
}

void Client::restore(ByteView bytes) {
  state_.reset();
  if (bytes.empty()) return;
  Archive own(bytes);
  state().archive(own);
  own.finish();
}

void archive_state(Archive& archive, Bytes& bytes) {
  auto size = static_cast<std::uint32_t>(bytes.size());
  if (size != bytes.size()) throw WireError("saved state: a client's is above 4 GiB");
  archive.field(size);
  if (archive.reading()) {
    if (size > archive.left()) throw WireError("saved state: it ends too early");
    bytes.resize(size);
  }
  archive.bytes(bytes);
}

void Client::archive_pending(Archive& archive) {
  archive.array(state().pending.flat());
  archive.field(state().pending_at);
}

}  // namespace pollen
