#include <algorithm>

#include "pollen/transport.h"

namespace pollen {

void answer(Client& client, const Station& station, const Query& query, PanelView out, Workspace& work) {
  switch (query.what) {
    case Query::What::value: {
      Scratch::Frame frame(work.scratch);
      const auto values = work.scratch.take<double>(out.columns);
      client.potential().value(query.at, values, work.scratch);
      for (Index c = 0; c < out.columns; ++c) out.column(c)[0] = values[static_cast<std::size_t>(c)];
      return;
    }
    case Query::What::curvature:
      return client.potential().curvature(query.at.column(0), query.direction.column(0), out.column(0), work.scratch);
    case Query::What::bounds:
    case Query::What::rows:
      for (Index c = 0; c < out.columns; ++c) std::ranges::fill(out.column(c), 0.0);
      if (query.what == Query::What::bounds) return client.bounds(query.at.column(0), out, work);
      return client.look_at_rows(query.at.column(0), out, work);
    case Query::What::local:
      return client.local_position(station, out);
    case Query::What::gradient:
    case Query::What::anchor:
    case Query::What::start_memory:
      break;
  }
  client.gradient(query.at, out, work);
  if (query.what == Query::What::anchor) client.set_anchor(query.at.column(0));
  if (query.what == Query::What::start_memory) client.start_memory(out);
}

}  // namespace pollen
