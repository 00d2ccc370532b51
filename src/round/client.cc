#include <algorithm>
#include <stdexcept>
#include <utility>

#include "client_state.h"
#include "math/math.h"
#include "pollen/errors.h"
#include "pollen/round.h"

namespace pollen {

Client::Client(std::uint32_t index, std::shared_ptr<const Potential> potential, const ClientParts& parts, Index chains)
    : index_(index),
      dimension_(parts.work != nullptr ? parts.work->dimension : potential->dimension()),
      chains_(chains),
      potential_(std::move(potential)),
      parts_(parts) {}

Client::~Client() = default;
Client::Client(Client&&) noexcept = default;

void Client::begin(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply) const {
  const std::size_t n = chains.size();
  reply.round = view.round();
  reply.first = view.segment().first;
  reply.client = index_;
  reply.silent = !view.segment().ends;
  reply.whole = reply.round == 0 && parts_.recipe->up.memory == Memory::feedback;
  reply.has_bytes = parts_.recipe->make_bytes;
  reply.chains.resize(n);
  for (std::size_t p = 0; p < n; ++p) reply.chains[p] = chains[p];
  reply.offset.resize((reply.silent ? 0 : n) + 1);
  reply.bits.resize(reply.silent ? 0 : n);
  reply.payload.clear();
  if (reply.decoded.rows() != dimension_ || reply.decoded.columns() != view.chains())
    reply.decoded = Panel(dimension_, view.chains());
}

// The channel sends C(v - h), where v is the message of the client's work and h its memory, or zero without one.
const Compressor& Client::aim(const ClientView& view, const Request& request, std::span<Encoding> jobs,
                              Workspace& work) {
  Reply& reply = *request.reply;
  const Compressor& compressor = reply.whole ? *parts_.whole : *parts_.compressor;
  reply.joined = compressor.joins() && !reply.silent;
  reply.refreshes = view.refreshes() && parts_.recipe->up.memory == Memory::reference;
  if (parts_.recipe->noise_share > 0 && request.weights.size() != jobs.size())
    throw std::logic_error("coded messages need their weights (Roster::weights)");
  const auto n = static_cast<Index>(jobs.size());
  const PanelView direction{reply.decoded.flat().data(), dimension_, n, reply.decoded.stride()};  // encoded in place
  State& mine = state();
  mine.work->compute(view, reply, direction, work);
  for (Index p = 0; p < n; ++p) {
    const std::uint32_t chain = reply.chains[static_cast<std::size_t>(p)];
    const auto column = direction.column(p);
    if (!mine.memory.empty()) {
      const auto h = std::as_const(mine.memory).column(chain);
      math::subtract(column.first(h.size()), h, column.first(h.size()));
    }
    Encoding& job = jobs[static_cast<std::size_t>(p)];
    const bool shared = reply.joined && view.recipe().noise_share > 0;  // the server draws the same numbers
    const std::span<const Stream> streams = shared ? view.code_streams() : view.compress_streams();
    job = {column, streams[chain], column, reply.has_bytes ? &reply.payload : nullptr};
    job.stream.round = reply.round;
    job.stream.client = index_;
    if (view.recipe().noise_share > 0)
      job.spread = view.recipe().code_spread(view.step().size, view.present()[chain],
                                             request.weights[static_cast<std::size_t>(p)]);
  }
  reply.code = mine.code;
  reply.code_seed = view.code_seed();
  return compressor;
}

namespace {

using Role = Compressor::Role;

// Encodes the changes H_i - h_i of references that move, and leaves what the server will not know of them.
std::int64_t join_references(const Compressor& compressor, std::span<const Encoding> parts, Reply& reply,
                             Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const auto changes = scratch.take<Encoding>(std::ssize(parts));
  fit(std::ssize(parts.front().v), std::ssize(parts), reply.references);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    changes[p] = parts[p];
    changes[p].decoded = reply.references.column(static_cast<Index>(p));
  }
  compressor.encode_joined(changes, reply.code, Role::reference, reply.has_bytes ? &reply.payload : nullptr, scratch);
  for (std::size_t p = 0; p < parts.size(); ++p) math::subtract(parts[p].v, changes[p].decoded, parts[p].decoded);
  return changes.front().bits;
}

// Encodes all parts of a reply as one bit string.
void join(const Compressor& compressor, std::span<Encoding> parts, Reply& reply, Scratch& scratch) {
  if (parts.empty()) return;
  const std::int64_t before = reply.refreshes ? join_references(compressor, parts, reply, scratch) : 0;
  reply.reference_bytes = static_cast<std::size_t>(before / 8);
  reply.coded =
      compressor.encode_joined(parts, reply.code, Role::message, reply.has_bytes ? &reply.payload : nullptr, scratch);
  parts.front().bits += before;
}

// Encodes all jobs. Request t has the jobs bound[t] .. bound[t+1]-1, which compressors[t] encodes.
void encode(std::span<const Request> requests, std::span<Encoding> jobs, std::span<const std::size_t> bound,
            std::span<const Compressor* const> compressors, Scratch& scratch) {
  try {
    for (std::size_t first = 0; first < requests.size();) {
      std::size_t last = first + 1;
      while (last < requests.size() && compressors[last] == compressors[first]) ++last;
      if (!compressors[first]->joins())
        compressors[first]->encode_all(jobs.subspan(bound[first], bound[last] - bound[first]), scratch);
      else
        for (std::size_t t = first; t < last; ++t)
          join(*compressors[t], jobs.subspan(bound[t], bound[t + 1] - bound[t]), *requests[t].reply, scratch);
      first = last;
    }
  } catch (const NumericError& e) {
    const auto failed = std::ranges::find(jobs, std::int64_t{-1}, &Encoding::bits) - jobs.begin();
    const auto request = std::ranges::upper_bound(bound, static_cast<std::size_t>(failed)) - bound.begin() - 1;
    const Reply& reply = *requests[static_cast<std::size_t>(request)].reply;
    throw NumericError(e.what(), static_cast<std::int64_t>(reply.round), reply.client);
  }
}

}  // namespace

void answer_all(const ClientView& view, std::span<const Request> requests, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const auto bound = work.scratch.take<std::size_t>(static_cast<Index>(requests.size()) + 1);
  const auto compressors = work.scratch.take<const Compressor*>(static_cast<Index>(requests.size()));
  bound[0] = 0;
  for (std::size_t t = 0; t < requests.size(); ++t)
    bound[t + 1] = bound[t] + (view.segment().ends ? requests[t].chains.size() : 0);
  const auto jobs = work.scratch.take<Encoding>(static_cast<Index>(bound.back()));
  for (std::size_t t = 0; t < requests.size(); ++t) {
    requests[t].client->begin(view, requests[t].chains, *requests[t].reply);
    compressors[t] = &requests[t].client->aim(view, requests[t], jobs.subspan(bound[t], bound[t + 1] - bound[t]), work);
  }
  encode(requests, jobs, bound, compressors, work.scratch);
  for (std::size_t t = 0; t < requests.size(); ++t) {
    Reply& reply = *requests[t].reply;
    reply.offset[0] = 0;
    for (std::size_t p = 0; p < reply.bits.size(); ++p) {
      reply.bits[p] = jobs[bound[t] + p].bits;
      reply.offset[p + 1] = reply.has_bytes ? reply.offset[p] + static_cast<std::size_t>(reply.bits[p] / 8) : 0;
    }
  }
}

void Client::answer(const ClientView& view, std::span<const std::uint32_t> chains, Reply& reply, Workspace& work,
                    std::span<const double> weights) {
  const Request request{this, chains, &reply, weights};
  answer_all(view, {&request, 1}, work);
}

void Client::acknowledge(const Reply& reply, bool counted) {
  if (!counted) return;
  State& mine = state();
  mine.work->commit(reply);
  if (reply.joined) mine.code = reply.coded;
  if (reply.silent || mine.memory.empty()) return;
  if (parts_.recipe->up.memory == Memory::reference) {
    for (std::size_t p = 0; p < reply.chains.size() && reply.refreshes; ++p)
      math::add(reply.references.column(static_cast<Index>(p)), mine.memory.column(reply.chains[p]));
    return;
  }
  const double rate = parts_.recipe->up.rate;
  for (std::size_t p = 0; p < reply.chains.size(); ++p) {
    const auto h = mine.memory.column(reply.chains[p]);
    math::axpy(rate, reply.decoded.column(static_cast<Index>(p)).first(h.size()), h);
  }
}

void Client::gradient(ConstPanelView theta, PanelView out, Workspace& work) const {
  potential_->gradient(theta, out, work.scratch);
  if (parts_.prior_share == 0) return;
  for (Index c = 0; c < out.columns; ++c)
    parts_.prior->add_gradient(theta.column(c), parts_.prior_share, out.column(c));
}

void Client::set_anchor(std::span<const double> at) {
  Workspace work;
  Scratch::Frame frame(work.scratch);
  const PanelView gradient = work.scratch.panel(potential_->dimension(), 1);
  potential_->gradient({at.data(), potential_->dimension(), 1, potential_->dimension()}, gradient, work.scratch);
  state().work->set_anchor(at, gradient.column(0));
}

CodeMemory Client::code() { return state().code; }
void Client::forget_code() { state().code = {}; }

void Client::start_memory(ConstPanelView gradient) { copy_into(gradient, state().memory); }

void Client::local_position(const ClientView& view, PanelView out) const {
  for (Index c = 0; c < out.columns; ++c) {
    const auto from = state_ ? state_->work->position(view, c) : view.position().column(c);
    std::ranges::copy(from, out.column(c).begin());
    math::scale(parts_.weight, out.column(c));
  }
}

void Client::start(ConstPanelView position) { state().work->start(position); }

void Client::latents(ConstPanelView position, std::uint64_t round, std::span<double> out) const {
  if (state_) return state_->work->latents(position, round, out);
  make_work(potential_.get())->latents(position, round, out);
}

void Client::look(const LatentQuestion& question, PanelView out, Workspace& work) const {
  if (state_) return state_->work->look(question, out, work);
  make_work(potential_.get())->look(question, out, work);
}

}  // namespace pollen
