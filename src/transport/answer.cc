#include <algorithm>

#include "math/math.h"
#include "model/coordinates.h"
#include "pollen/transport.h"
#include "round/local_work.h"

namespace pollen {

namespace {

void answer_potential_gradient(const Client& client, const Query& query, PanelView out, Workspace& work) {
  Scratch::Frame frame(work.scratch);
  const auto values = work.scratch.take<double>(out.columns);
  const PanelView gradients{out.data, out.rows - 1, out.columns, out.stride};
  client.potential().value_and_gradient(query.at, values, gradients, work.scratch);
  for (Index c = 0; c < out.columns; ++c) out.column(c).back() = values[static_cast<std::size_t>(c)];
}

// Answers a step of gradient descent, with a minibatch of its own for every chain. Rounds from kSteps on are never
// reached by a sampler, so nothing else is drawn from these streams.
void answer_descent(const Client& client, const ClientView& view, const Query& query, PanelView out, Workspace& work) {
  const Potential& potential = client.potential();
  const Index batch = std::min(query.batch, potential.rows());
  for (Index c = 0; c < out.columns; ++c) {
    Stream stream = view.minibatch_streams()[static_cast<std::size_t>(c)];
    draw_minibatch(stream, Query::kSteps + query.step, client.index(), {potential.rows(), batch}, work.rows);
    stream.round = Query::kSteps + query.step;
    stream.client = client.index();
    stream.step = 1;
    potential.varied_rows(query.at.column(c), work.rows, stream, out.column(c), work.scratch);
    math::scale(static_cast<double>(potential.rows()) / static_cast<double>(batch), out.column(c));
  }
}

}  // namespace

std::shared_ptr<const Coordinates> coordinates_told(const Query& query) {
  if (query.direction.columns == 0) return nullptr;
  return std::make_shared<const Coordinates>(query.at.column(0), query.direction);
}

std::size_t answer_together(const ClientView& view) {
  constexpr Index kShort = 4096;  // coordinates
  return view.chains() == 1 && view.position().rows <= kShort ? kTogether : 1;
}

void answer(Client& client, const ClientView& view, const Query& query, PanelView out, Workspace& work) {
  if (!query.asks(client.index())) return fill(out, 0.0);
  switch (query.what) {
    case Query::What::value: {
      Scratch::Frame frame(work.scratch);
      const auto values = work.scratch.take<double>(out.columns);
      client.potential().value(query.at, values, work.scratch);
      for (Index c = 0; c < out.columns; ++c) out.column(c)[0] = values[static_cast<std::size_t>(c)];
      return;
    }
    case Query::What::curvature:
      return client.potential().shown_curvature(query.at.column(0), query.direction.column(0), out.column(0),
                                                work.scratch);
    case Query::What::bounds:
    case Query::What::rows:
      fill(out, 0.0);
      if (query.what == Query::What::bounds) return client.bounds(query.at.column(0), out, work);
      return client.look_at_rows(query.at.column(0), out, work);
    case Query::What::latents:
      return client.latents(query.at, query.step, out.column(0));
    case Query::What::start:
      fill(out, 0.0);
      return client.start(query.at);
    case Query::What::hessian:
      return client.hessian(query.at.column(0), out, work);
    case Query::What::coordinates:
    case Query::What::scores:  // a client of a federation answers it without its Client
      return fill(out, 0.0);
    case Query::What::pooled:
      return client.look({LatentQuestion::About::pooled, query.at.column(0)}, out, work);
    case Query::What::information:
      return client.look({LatentQuestion::About::information, query.at.column(0), query.step}, out, work);
    case Query::What::observed:
      return client.look({LatentQuestion::About::observed, query.at.column(0), query.step, query.batch}, out, work);
    case Query::What::local:
      return client.local_position(view, out);
    case Query::What::potential_gradient:
      return answer_potential_gradient(client, query, out, work);
    case Query::What::descent:
      return answer_descent(client, view, query, out, work);
    case Query::What::noise:
      return client.noise(NoiseQuestion::unpacked(query.step), query.at.column(0), query.direction, out.column(0),
                          work);
    case Query::What::gradient:
    case Query::What::anchor:
    case Query::What::start_memory:
      break;
  }
  client.gradient(query.at, out, work);
  if (query.what == Query::What::anchor) client.set_anchor(query.at.column(0));
  if (query.what == Query::What::start_memory) client.start_memory(out);
}

void answer(Clients& clients, std::size_t place, const ClientView& view, const Query& query, PanelView out,
            Workspace& work) {
  const bool keeps =
      query.what == Query::What::anchor || query.what == Query::What::start_memory || query.what == Query::What::start;
  if (keeps || !clients.light()) return answer(clients[place], view, query, out, work);
  clients.look(place, [&](Client& client) { answer(client, view, query, out, work); });
}

}  // namespace pollen
