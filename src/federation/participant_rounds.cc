// A participant in its rounds, from the seat on: which reply was counted, questions, broadcasts, and what must be on
// the disk before an answer leaves.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/coordinates.h"
#include "participant_parts.h"
#include "sink/score_sums.h"
#include "study.h"

namespace pollen {

namespace {

// Whether an answer is a sum over the training rows that depends on the point at which it is asked.
bool is_about_rows(Query::What what) {
  using What = Query::What;
  return what != What::coordinates && what != What::local && what != What::scores;
}

// Archives what the client needs of a reply to update its memory later.
void archive_moved(Archive& a, Reply& reply, Client& client, const Recipe& recipe, Index dimension, Index chains) {
  a.fields(reply.chains, reply.silent, reply.joined, reply.coded.updates, reply.coded.mean, reply.refreshes);
  if (a.reading()) reply.decoded = Panel(dimension, chains);
  const bool references = recipe.up.memory == Memory::reference;
  if (references && reply.refreshes) {
    if (a.reading()) reply.references = Panel(dimension, std::ssize(reply.chains));
    a.array(reply.references.flat());
  }
  if (recipe.up.memory != Memory::none && !references) a.array(reply.decoded.flat());
  if (moves_work(recipe) || references) client.archive_pending(a);
}

}  // namespace

// Starts this client's own privacy meter. It uses the client's rows and those of all others, whose number follows from
// the client's weight.
void Participant::Parts::measure() {
  most_epsilon = epsilon_limit(options.policy, *config);
  if (!most_epsilon) return;
  const Index mine = problem->rows[part];
  const auto all = static_cast<Index>(std::llround(static_cast<double>(mine) / weight));
  std::vector<Index> sizes = {mine};
  if (all > mine) sizes.push_back(all - mine);
  Config own = *config;
  if (!options.policy.trust_server) own.privacy.adversary = "server";  // who takes part is no secret from the server
  meter.emplace(own, recipe, sizes, uncovered_queries(own, true));
}

std::optional<double> Participant::Parts::epsilon_after(std::uint64_t iterations) const {
  const PrivacySpending spending = meter->after(static_cast<std::int64_t>(iterations));
  const auto &one = spending.theorem.epsilon, &other = spending.renyi.epsilon;
  return one && other ? std::min(one, other) : one ? one : other;
}

// Returns why this client refuses to answer, or an empty text.
std::string Participant::Parts::beyond_limits(const Broadcast& heard) const {
  if (!meter) return {};
  const auto epsilon = epsilon_after(heard.segment.first + heard.segment.steps);
  if (!epsilon)
    return fmt::format("no epsilon can be given, so that its limit on epsilon cannot hold: {}",
                       fmt::join(meter->after(1).theorem.why, "; "));
  if (*epsilon > *most_epsilon)
    return fmt::format("after this round epsilon would be {:.4g}, above its limit {:.4g}", *epsilon, *most_epsilon);
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

// Returns why a segment of local steps is not one of this run, or an empty text. A server that cut segments as it likes
// would have more messages, each with less noise, than an account of ε counts.
std::string Participant::Parts::unscheduled(const LocalSegment& segment) {
  if (!schedule) return {};
  const auto last = static_cast<std::uint64_t>(config->run.iterations);
  if (segment.first < last && segment.first + segment.steps <= last && schedule->has(segment)) return {};
  return fmt::format(
      "the server sent a segment of {} steps from iteration {} on, which {} from its position and {} with "
      "a message; accepted: those of the study's local steps, in {} iterations",
      segment.steps, segment.first, segment.starts ? "starts" : "does not start",
      segment.ends ? "ends" : "does not end", last);
}

// Takes the step from the run's first broadcast and keeps it on the disk. All later ones must repeat it, also after a
// restart, because the privacy meter counts the whole run with one step.
void Participant::Parts::take_step(const Broadcast& heard) {
  const StepSize& told = heard.step;
  const double step = recipe.local ? recipe.local->step_at(told, clients, heard.segment.first) : told.size;
  const bool own = recipe.personal && step == 0;  // every client picks its own
  if (!own && (!(step > 0) || !std::isfinite(step)))
    throw WireError(fmt::format("broadcast: found the step {}, accepted: a finite number above 0", step));
  const StepSize& known = state().step;
  const SamplerConfig& given = config->sampler;
  if (!own && ((given.step && told.size != *given.step) || (given.smoothness && told.smoothness != *given.smoothness) ||
               (given.convexity && told.convexity != *given.convexity)))
    throw WireError(
        fmt::format("broadcast: found the step {} (L = {}, m = {}), accepted: the study's sampler.step, "
                    "smoothness and convexity",
                    told.size, told.smoothness, told.convexity));
  if (!file.settle(state().step, told))
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
  if (keeps_state(recipe)) settle_reply(message);
  if (!learning) return;
  // What a code has learnt is kept on the disk with the rest, if there is a rest.
  if (!keeps_state(recipe) && state().pending != 0) {
    if (message.counted == state().pending && reply_is_whole) client().acknowledge(reply, true);
    state().pending = 0;
  }
  if (client().code().updates != message.updates) client().forget_code();
}

void Participant::Parts::settle_reply(const wire::Acknowledged& message) {
  if (message.counted == state().committed) return;
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
  archive_moved(archive, reply, client(), recipe, dimension(), config->run.chains);
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
  print_coordinates();
  for (const ConstPanelView panel : {view.position(), view.expected_position(), view.control(), view.anchor()})
    check_numbers(panel, "catch-up");
}

void Participant::Parts::asked(const wire::Ask& message, const Send& send) {
  need_fleet();
  const WarmUpConfig& warm_up = config->warm_up;
  const Query::What what =
      check_question(message, {&recipe, dimension(), config->run.chains, clients, warm_up.epochs > 0,
                               sink::ScoreSums::numbers(bins()), personal.get()});
  const bool latent = what == Query::What::pooled || what == Query::What::information || what == Query::What::observed;
  const bool whole = latent || (what == Query::What::hessian && message.rows != dimension());
  if (!options.curvature && (whole || what == Query::What::noise))
    return stop(send, "it does not show its whole curvature");
  std::shared_ptr<const Coordinates> told;
  if (what == Query::What::coordinates) told = readable_coordinates(message);
  const bool round = what == Query::What::potential_gradient;
  if (round && !begin_exact_round(send)) return;
  if (!may_answer(message, what, send)) return;
  std::optional<double> gradients;  // of questions that are asked as often as rounds
  const auto columns = static_cast<double>(message.at.columns());
  if (round) gradients = columns * static_cast<double>(problem->rows[part]);
  if (what == Query::What::descent) gradients = columns * static_cast<double>(warm_up.batch);
  if (is_about_rows(what) && !may_answer_at(message.at, gradients, send)) return;
  if (what == Query::What::coordinates) take_coordinates(std::move(told));
  round ? enter_answer(0, 1, std::nullopt) : enter_answer(points_of(message, what), 0, std::nullopt);
  wire::Answer answer{message.number, Panel(message.rows, message.columns), what == Query::What::hessian};
  if (what == Query::What::scores)
    answer_scores(message, answer.values);
  else
    pollen::answer(client(), host->view(), message.query(warm_up.batch), answer.values, work);
  if (what == Query::What::anchor || what == Query::What::start_memory || what == Query::What::start) keep_client();
  if (round) ++turns;
  send(wire::encode(answer));
}

// Checks what the first round of a run settles, for a sampler whose rounds are questions. Returns whether this client
// goes on.
bool Participant::Parts::begin_exact_round(const Send& send) {
  if (epsilon_limit(options.policy, *config)) {
    stop(send, fmt::format("no epsilon can be given for {}, so that its limit on epsilon cannot hold", recipe.name));
    return false;
  }
  if (file.settle(state().coordinates, coordinates_print)) return true;
  refuse(send, "the server sent a round in other coordinates; accepted: those of the run's first round");
  return false;
}

std::shared_ptr<const Coordinates> Participant::Parts::readable_coordinates(const wire::Ask& message) {
  std::shared_ptr<const Coordinates> told = coordinates_told(message.query(1));
  if (told && !told->usable())
    throw WireError("coordinates: found a matrix that cannot be inverted, accepted: a diagonal of numbers above 0");
  return told;
}

// Takes the coordinates of the run, which a server tells during set-up, or leaves those that a server told before it
// began again. If this client carries something from round to round, that is in the coordinates of the run, so it
// refuses others.
void Participant::Parts::take_coordinates(std::shared_ptr<const Coordinates> told) {
  if (const auto& known = host->view().coordinates()) coordinates = known;
  if (told && coordinates && step_known && keeps_state(recipe) && *told != *coordinates)
    throw WireError("coordinates: found others than the run began with, accepted: those it began with");
  host->view().set_coordinates(std::move(told));
  print_coordinates();
}

void Participant::Parts::keep_client() {
  Archive archive;
  client().archive(archive);
  state().client = archive.take();
  state().has_client = true;
  file.write();
}

void Participant::Parts::keep_reply(std::uint64_t turn, const Digest& content, const Bytes& frame) {
  if (!keeps_state(recipe) && !learning) return;
  state().pending = turn;
  state().reply = frame;
  state().content = numbers_of(content);
  state().reached = host->view().segment().first + host->view().segment().steps;
  reply_is_whole = true;
  if (!keeps_state(recipe)) return;
  Archive archive;
  archive_moved(archive, reply, client(), recipe, dimension(), config->run.chains);
  state().moved = archive.take();
  before.reset();
  keep_client();
}

void Participant::Parts::broadcast(ByteView frame, const Send& send) {
  need_fleet();
  Broadcast heard;
  std::vector<std::uint32_t> chains;
  std::vector<double> weights;
  wire::decode(frame, heard, chains, &weights);
  if (static_cast<Index>(heard.offset.size()) - 1 != config->run.chains ||
      static_cast<Index>(chains.size()) != config->run.chains)
    throw WireError(fmt::format("broadcast: found {} chains, {} of them to answer; accepted: {} and {}",
                                heard.offset.size() - 1, chains.size(), config->run.chains, config->run.chains));
  check_segment(heard, dimension(), config->run.chains);
  check_presence(heard, weights);
  if ((heard.segment.steps > 0) != recipe.local.has_value())
    throw WireError(fmt::format("broadcast: found a segment of {} local steps, accepted with {}: {}",
                                heard.segment.steps, recipe.name, recipe.local ? "at least 1" : "none"));
  if (const std::string why = unscheduled(heard.segment); !why.empty()) return refuse(send, why);
  take_step(heard);
  if (!file.settle(state().coordinates, coordinates_print))
    return refuse(send, "the server sent a round in other coordinates; accepted: those of the run's first round");
  const std::uint64_t turn = 1 + (recipe.local ? heard.segment.first : heard.round);
  host->view().receive(heard, work);
  const Digest content = content_of(heard, weights);
  const bool at_hand = keeps_state(recipe) || reply_is_whole;
  if (at_hand && state().pending == turn && state().content == numbers_of(content)) return send(state().reply);
  if (keeps_state(recipe) && turn <= std::max(state().committed, state().pending))
    return refuse(send, fmt::format("the server sent round {} again after round {} with another content, or one that "
                                    "counted; accepted: later rounds, or the last one as it was",
                                    turn, std::max(state().committed, state().pending)));
  if (recipe.local && heard.segment.first < state().reached)
    return refuse(send, fmt::format("the server sent a segment from iteration {} on after one that reached iteration "
                                    "{}; accepted: from there on, because an iteration's noise serves once",
                                    heard.segment.first, state().reached));
  const Verdict verdict = file.counts().turn(contract, turn, content);
  if (!may_answer(verdict, send)) return;
  if (const std::string why = beyond_limits(heard); !why.empty()) return stop(send, why);
  if (!may_answer_at(host->view().position(), gradients_of(heard), send)) return;
  enter_answer(0, 1, epsilon_of_block(heard));
  client().answer(host->view(), chains, reply, work, weights);
  Bytes out;
  wire::encode(reply, out);
  if (!verdict.again) ++turns;
  keep_reply(turn, content, out);
  send(out);
}

// Coded messages need the number of clients that take part and the weights; no others have them.
void Participant::Parts::check_presence(const Broadcast& heard, std::span<const double> weights) const {
  const std::size_t wanted = recipe.noise_share > 0 ? heard.offset.size() - 1 : 0;
  if (heard.present.size() != wanted || weights.size() != wanted)
    throw WireError(fmt::format("broadcast: found {} counts of clients and {} weights, accepted with {}: {} of each",
                                heard.present.size(), weights.size(), recipe.name, wanted));
  for (const std::uint32_t present : heard.present)
    if (present < 1 || present > static_cast<std::uint64_t>(clients))
      throw WireError(fmt::format("broadcast: found {} clients in a round, accepted: 1 to {}", present, clients));
}

// Accepts shared draws: no more than the run can have kept, each once and in order. A restarted server begins again.
void Participant::Parts::take_draws(const wire::Draws& message) {
  need_fleet();
  const Panel& positions = message.positions;
  if (message.chain == 0 && message.first == 0) first_draw = draws_chain = 0;
  if (message.chain == 0) draws_block = positions.columns();
  const std::int64_t room = kMostShared / (8 * shown() * config->run.chains);
  const auto most = static_cast<std::uint64_t>(std::clamp<std::int64_t>(room, 1, config->run.iterations));
  const auto count = static_cast<std::uint64_t>(positions.columns());
  if (message.chain != draws_chain || message.first != first_draw || positions.rows() != shown() || count == 0 ||
      positions.columns() != draws_block || count > most || message.first > most - count)
    throw WireError(fmt::format(
        "draws: found {} draws of {} numbers, of chain {} from number {} on; accepted: {} of {}, "
        "of chain {} from number {} on, at most {} in all",
        count, positions.rows(), message.chain, message.first, draws_block, shown(), draws_chain, first_draw, most));
  check_numbers(positions, "draws");
  if (++draws_chain == static_cast<std::uint32_t>(config->run.chains)) {
    draws_chain = 0;
    first_draw += count;
  }
  if (options.draws) options.draws(message);
}

}  // namespace pollen
