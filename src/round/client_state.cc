#include "client_state.h"

#include <fmt/format.h>

#include <stdexcept>

#include "anchor_work.h"
#include "model/coordinates.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "round/local_work.h"
#include "segment_work.h"

namespace pollen {

void LocalWork::set_anchor(std::span<const double>, std::span<const double>) {
  throw std::logic_error("this work has no fixed point");
}

void LocalWork::look(const LatentQuestion&, PanelView, Workspace&) const {
  throw std::logic_error("this work has no latents");
}

void LocalWork::latents(ConstPanelView, std::uint64_t, std::span<double>) const {
  throw std::logic_error("this work has no latents");
}

std::span<const double> LocalWork::position(const ClientView& view, Index chain) const {
  return view.position().column(chain);
}

void Client::State::archive(Archive& archive) {
  archive.array(memory.flat());
  archive.fields(code.updates, code.mean);
  work->archive(archive);
}

std::unique_ptr<LocalWork> Client::make_work(const Potential* potential) const {
  if (parts_.work != nullptr) return parts_.work->make(index_);
  if (parts_.recipe->local) return std::make_unique<SegmentWork>(index_, *potential, parts_, chains_);
  if (parts_.recipe->up.memory == Memory::reference)
    return std::make_unique<AnchorWork>(index_, *potential, parts_, chains_);
  return std::make_unique<GradientWork>(index_, *potential, parts_, chains_);
}

Client::State& Client::state() {
  if (state_) return *state_;
  const Uplink& up = parts_.recipe->up;
  auto multiplied = potential_ ? with_multiplied_rows(*potential_) : nullptr;
  auto work = make_work(multiplied ? multiplied.get() : potential_.get());
  state_ = std::make_unique<State>(State{std::move(multiplied), std::move(work), {}, {}});
  if (up.memory != Memory::none) state_->memory = Panel(dimension_ - up.whole_tail, chains_);
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
  if (size != bytes.size())
    throw WireError(fmt::format("saved state: found {} bytes of a client, accepted: below 4 GiB", bytes.size()));
  archive.field(size);
  if (archive.reading()) {
    if (size > archive.left())
      throw WireError(
          fmt::format("saved state: found {} bytes at the end, accepted: a client's {}", archive.left(), size));
    bytes.resize(size);
  }
  archive.bytes(bytes);
}

void Client::archive_pending(Archive& archive) { state().work->archive_pending(archive); }

}  // namespace pollen
