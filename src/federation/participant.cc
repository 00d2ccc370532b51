// A client's side of a federation. Frames are passed to set-up or to the rounds.
#include <fmt/format.h>

#include "participant_parts.h"

namespace pollen {

Participant::Participant(ParticipantOptions options) : parts_(std::make_unique<Parts>(std::move(options))) {}
// What was entered in advance stays entered if it cannot be replaced by less.
Participant::~Participant() {
  try {
    parts_->close_ledger(false);
  } catch (const std::exception&) {
  }
}

const std::optional<Participant::Ended>& Participant::ended() const { return parts_->ended; }
void Participant::forget_ending() { parts_->ended.reset(); }
void Participant::rest() {
  if (parts_->file.state().run.empty()) return;
  if (parts_->host && parts_->learning) parts_->keep_client();
  parts_->file.counts().settle();
  parts_->file.write_counts();
}
std::int64_t Participant::turns() const { return parts_->turns; }
const std::string& Participant::name() const { return parts_->options.name; }
std::uint32_t Participant::index() const { return parts_->index; }
std::vector<std::string> Participant::labels() const {
  return parts_->personal ? parts_->personal->labels() : parts_->problem->model.labels();
}
Index Participant::clients() const { return parts_->clients; }
const Recipe* Participant::recipe() const { return parts_->host ? &parts_->recipe : nullptr; }
const StatisticalProblem* Participant::problem() const { return parts_->host ? &*parts_->problem : nullptr; }
const Config* Participant::config() const { return parts_->config ? &*parts_->config : nullptr; }

std::size_t Participant::most_bytes() const {
  constexpr std::size_t kSetup = std::size_t{64} << 20;
  if (!parts_->host) return kSetup;
  const auto words = static_cast<std::size_t>(parts_->dimension() * parts_->config->run.chains);
  return kSetup + 8 * 8 * words;  // a message of catching up has at most five panels
}

Bytes Participant::hello() const {
  const Parts& p = *parts_;
  const ClientState& state = p.file.state();
  return wire::encode(wire::Hello{.version = p.options.version,
                                  .name = p.options.name,
                                  .instance = p.file.instance(),
                                  .part = p.options.part,
                                  .config = p.options.config ? to_toml(*p.options.config) : "",
                                  .run = state.run,
                                  .ready = p.host != nullptr && p.run == state.run,
                                  .shared_seed = p.options.shared_seed});
}

void Participant::handle(ByteView frame, const Send& send) {
  Parts& p = *parts_;
  switch (wire::type_of(frame)) {
    case wire::Type::welcome:
      return p.welcomed(wire::decode<wire::Welcome>(frame), send);
    case wire::Type::refusal: {
      const auto message = wire::decode<wire::Refusal>(frame);
      p.ended = Ended{false, message.again, plain(message.why)};
      return;
    }
    case wire::Type::layout:
      return p.laid_out(wire::decode<wire::Layout>(frame), send);
    case wire::Type::scaling:
      return p.scaled(wire::decode<wire::Scaling>(frame), send);
    case wire::Type::seat:
      return p.seated(wire::decode<wire::Seat>(frame), send);
    case wire::Type::acknowledged:
      return p.acknowledged(wire::decode<wire::Acknowledged>(frame));
    case wire::Type::catch_up:
      return p.caught_up(wire::decode<wire::CatchUp>(frame));
    case wire::Type::ask:
      return p.asked(wire::decode<wire::Ask>(frame), send);
    case wire::Type::broadcast:
      return p.broadcast(frame, send);
    case wire::Type::draws:
      return p.take_draws(wire::decode<wire::Draws>(frame));
    case wire::Type::end: {
      const auto message = wire::decode<wire::End>(frame);
      p.ended = Ended{message.complete, false, plain(message.why)};
      if (message.complete && !p.state().run.empty()) p.file.settle(p.state().over, true);
      p.close_ledger(message.complete);
      return;
    }
    default:
      throw WireError(
          fmt::format("message: found type {}, which a server does not send", static_cast<int>(wire::type_of(frame))));
  }
}

}  // namespace pollen
