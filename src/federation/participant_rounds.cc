// A participant in its rounds, from the seat on: which reply was counted, questions, broadcasts, and what must be on
// the disk before an answer leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/coordinates.h"
#include "participant_parts.h"

namespace pollen {

namespace {

// Archives what the client needs of a reply to update its memory later.
void archive_moved(Archive& a, Reply& reply, Client& client, const Recipe& recipe, Index dimension, Index chains) {
  a.fields(reply.chains, reply.silent);
  if (a.reading()) reply.decoded = Panel(dimension, chains);
  if (recipe.up.memory != Memory::none) a.array(reply.decoded.flat());
  if (recipe.local) client.archive_pending(a);
}

}  // namespace

// Starts this client's own privacy meter. It uses the client's rows and those of all others, whose number follows from
// the client's weight.
void Participant::Parts::measure() {
  if (options.limits.most_epsilon <= 0) return;
  const Index mine = problem->rows[part];
  const auto all = static_cast<Index>(std::llround(static_cast<double>(mine) / weight));
  std::vector<Index> sizes = {mine};
  if (all > mine) sizes.push_back(all - mine);
  meter.emplace(*config, recipe, sizes, uncovered_queries(*config, true));
}

std::optional<double> Participant::Parts::epsilon_after(std::uint64_t iterations) const {
  const PrivacySpending spending = meter->after(static_cast<std::int64_t>(iterations));
  const auto &one = spending.theorem.epsilon, &other = spending.renyi.epsilon;
  return one && other ? std::min(one, other) : one ? one : other;
}

// Returns why this client refuses to answer, or an empty text.
std::string Participant::Parts::beyond_limits(const Broadcast& heard) const {
  const ParticipantLimits& limits = options.limits;
  if (limits.most_rounds > 0 && file.state().turns >= limits.most_rounds)
    return fmt::format("it has answered {} rounds, its --max-rounds", limits.most_rounds);
  if (!meter) return {};
  const auto epsilon = epsilon_after(heard.segment.first + heard.segment.steps);
  if (!epsilon)
    return fmt::format("no epsilon can be given, so that its --max-epsilon cannot hold: {}",
                       fmt::join(meter->after(1).theorem.why, "; "));
  if (*epsilon > limits.most_epsilon)
    return fmt::format("after this round epsilon would be {:.4g}, above its --max-epsilon {:.4g}", *epsilon,
                       limits.most_epsilon);
  return {};
}

void Participant::Parts::restore() {
  reply_is_whole = false;
  if (!state().has_client) return;
  try {
    Archive archive(state().client);
    client().archive(archive);
    archive.finish();
  } catch (const WireError& error) {
    throw ConfigError("--state", fmt::format("found a state that does not fit this run ({})", error.what()));
  }
}

// Takes the step from the run's first broadcast and keeps it on the disk. All later ones must repeat it, also after a
// restart, because the privacy meter counts the whole run with one step.
void Participant::Parts::take_step(const Broadcast& heard) {
  const StepSize& told = heard.step;
  const double step = recipe.local ? recipe.local->step_at(told, clients, heard.segment.first) : told.size;
  if (!(step > 0) || !std::isfinite(step))
    throw WireError(fmt::format("broadcast: found the step {}, accepted: a finite number above 0", step));
  StepSize& known = state().step;
  if (known == StepSize{}) {
    known = told;
    file.write();
  }
  if (told != known)
    throw WireError(
        fmt::format("broadcast: found the step {} (L = {}, m = {}), accepted: {} (L = {}, m = {}), as before",
                    told.size, told.smoothness, told.convexity, known.size, known.smoothness, known.convexity));
  if (std::exchange(step_known, true)) return;
  recipe.step = told;
  measure();
}

// Handles the server's notice of the last reply that it counted: the pending one, or the one before it.
void Participant::Parts::acknowledged(const wire::Acknowledged& message) {
  need_fleet();
  if (!keeps_state(recipe) || message.counted == state().committed) return;
  if (before && message.counted == before->committed) return move_back();
  if (state().pending == 0 || message.counted != state().pending)
    throw ConfigError(
        "--state", fmt::format("found a state that has moved by reply {} and waits for {}, but the server counted {}: "
                               "it is not the state this client had; the run cannot go on with it",
                               state().committed, state().pending, message.counted));
  restore_reply();
  client().acknowledge(reply, true);
  before = Before{state().committed, state().pending};
  state().committed = message.counted;
  state().pending = 0;
  reply_is_whole = false;
}

// Undoes the last update of the memory. This is needed if the server asked a question after the update (emit = "every")
// and was killed before its own disk had the round.
void Participant::Parts::move_back() {
  state().committed = before->committed;
  state().pending = before->pending;
  before.reset();
  restore();
}

// Loads from the disk what the pending reply changes, which is missing in memory after a restart.
void Participant::Parts::restore_reply() {
  if (reply_is_whole) return;
  Archive archive(state().moved);
  archive_moved(archive, reply, client(), recipe, problem->dimension(), config->run.chains);
  archive.finish();
  reply_is_whole = true;
}

void Participant::Parts::caught_up(const wire::CatchUp& message) {
  need_fleet();
  Archive archive(message.view);
  ClientView& view = host->view();
  view.archive(archive);
  archive.finish();
  if (view.coordinates() && !view.coordinates()->usable())
    throw WireError("catch-up: found coordinates that cannot be inverted, accepted: a diagonal of numbers above 0");
  for (const ConstPanelView panel : {view.position(), view.expected_position(), view.control(), view.anchor()})
    check_numbers(panel, "catch-up");
}

void Participant::Parts::asked(const wire::Ask& message, const Send& send) {
  need_fleet();
  const WarmUpConfig& warm_up = config->warm_up;
  const Query::What what =
      check_question(message, {&recipe, problem->dimension(), config->run.chains, clients, warm_up.epochs > 0});
  const bool whole = what == Query::What::hessian && message.rows != problem->dimension();
  if (!options.limits.curvature && (whole || what == Query::What::noise))
    return stop(send, "it does not show its whole curvature");
  if (what == Query::What::coordinates) take_coordinates(message);
  wire::Answer answer{message.number, Panel(message.rows, message.columns), what == Query::What::hessian};
  pollen::answer(client(), host->view(), message.query(warm_up.batch), answer.values, work);
  if (what == Query::What::anchor || what == Query::What::start_memory) keep_client();
  send(wire::encode(answer));
}

// Takes the coordinates of the run, which a server tells during set-up, or leaves those that a server told before it
// began again. If this client carries something from round to round, that is in the coordinates of the run, so it
// refuses others.
void Participant::Parts::take_coordinates(const wire::Ask& message) {
  std::shared_ptr<const Coordinates> told = coordinates_told(message.query(1));
  if (told && !told->usable())
    throw WireError("coordinates: found a matrix that cannot be inverted, accepted: a diagonal of numbers above 0");
  if (const auto& known = host->view().coordinates()) coordinates = known;
  if (told && coordinates && step_known && keeps_state(recipe) && *told != *coordinates)
    throw WireError("coordinates: found others than the run began with, accepted: those it began with");
  host->view().set_coordinates(std::move(told));
}

void Participant::Parts::keep_client() {
  Archive archive;
  client().archive(archive);
  state().client = archive.take();
  state().has_client = true;
  file.write();
}

void Participant::Parts::keep_reply(std::uint64_t turn, const Bytes& frame) {
  if (!keeps_state(recipe)) {
    if (options.limits.most_rounds > 0) file.write();  // stores the count of rounds
    return;
  }
  Archive archive;
  archive_moved(archive, reply, client(), recipe, problem->dimension(), config->run.chains);
  state().pending = turn;
  state().reply = frame;
  state().moved = archive.take();
  reply_is_whole = true;
  before.reset();
  keep_client();
}

void Participant::Parts::broadcast(ByteView frame, const Send& send) {
  need_fleet();
  Broadcast heard;
  std::vector<std::uint32_t> chains;
  wire::decode(frame, heard, chains);
  if (static_cast<Index>(heard.offset.size()) - 1 != config->run.chains ||
      static_cast<Index>(chains.size()) != config->run.chains)
    throw WireError(fmt::format("broadcast: found {} chains, {} of them to answer; accepted: {} and {}",
                                heard.offset.size() - 1, chains.size(), config->run.chains, config->run.chains));
  check_segment(heard, problem->dimension(), config->run.chains);
  if ((heard.segment.steps > 0) != recipe.local.has_value())
    throw WireError(fmt::format("broadcast: found a segment of {} local steps, accepted with {}: {}",
                                heard.segment.steps, recipe.name, recipe.local ? "at least 1" : "none"));
  take_step(heard);
  const std::uint64_t turn = 1 + (recipe.local ? heard.segment.first : heard.round);
  host->view().receive(heard, work);
  if (keeps_state(recipe) && state().pending == turn && !state().reply.empty()) return send(state().reply);
  if (keeps_state(recipe) && turn <= state().committed)
    throw WireError(fmt::format("broadcast: found turn {}, accepted: above {}, the last one that counted", turn,
                                state().committed));
  if (const std::string why = beyond_limits(heard); !why.empty()) return stop(send, why);
  client().answer(host->view(), chains, reply, work);
  Bytes out;
  wire::encode(reply, out);
  ++state().turns;
  ++turns;
  keep_reply(turn, out);
  send(out);
}

// Accepts shared draws: no more than the run can have kept, each once and in order. A restarted server begins again.
void Participant::Parts::take_draws(const wire::Draws& message) {
  need_fleet();
  const Panel& positions = message.positions;
  if (message.chain == 0 && message.first == 0) first_draw = draws_chain = 0;
  if (message.chain == 0) draws_block = positions.columns();
  const std::uint64_t most = static_cast<std::uint64_t>(config->run.iterations);
  const auto count = static_cast<std::uint64_t>(positions.columns());
  if (message.chain != draws_chain || message.first != first_draw || positions.rows() != problem->dimension() ||
      count == 0 || positions.columns() != draws_block || count > most || message.first > most - count)
    throw WireError(
        fmt::format("draws: found {} draws of {} numbers, of chain {} from number {} on; accepted: {} of {}, "
                    "of chain {} from number {} on, at most {} in all",
                    count, positions.rows(), message.chain, message.first, draws_block, problem->dimension(),
                    draws_chain, first_draw, most));
  check_numbers(positions, "draws");
  if (++draws_chain == static_cast<std::uint32_t>(config->run.chains)) {
    draws_chain = 0;
    first_draw += count;
  }
  if (options.draws) options.draws(message);
}

}  // namespace pollen
