#include <algorithm>

#include "proofs.h"

namespace pollen::plan {

namespace {

// The mean number of minibatch gradients per client and iteration of svrg. Two are taken at the position and at the
// anchor, and the anchor's own is taken once per refresh; a client whose batch is all its rows uses no anchor.
double svrg_gradients(const Constants& c, double refresh) {
  double sum = 0;
  for (const ClientConstants& client : c.clients)
    sum += client.batch < client.rows ? 2 + client.rows / client.batch / std::max(1.0, refresh) : 1;
  return sum / static_cast<double>(c.clients.size());
}

double full_over_batch(const Constants& c) {
  double sum = 0;
  for (const ClientConstants& client : c.clients)
    sum += client.rows / std::max(1.0, std::min(client.batch, client.rows));
  return sum / static_cast<double>(c.clients.size());
}

}  // namespace

Traffic traffic(const PlanInput& input, double iterations) {
  const Constants& c = input.constants;
  const auto b = static_cast<double>(c.clients.size());
  double senders = 0;
  for (const Presence& presence : presences(input.method.participation, c)) senders += presence.present;
  Traffic t;
  // whole: exchanges in which all clients send uncompressed numbers, whatever the compressor is.
  double listeners = senders, whole = 0;
  if (input.method.averaging) {
    const Averaging& how = *input.method.averaging;
    // A refresh of the control variate takes two exchanges of its own (X^i up and Y down; ∇U^i(Y) up and C down).
    whole = how.control_variate ? iterations * 2 * how.refresh : 0;
    t.rounds = iterations * (how.random ? how.communicate : 1 / std::max(1.0, how.steps)) + whole;
    t.gradients = iterations * (how.control_variate ? 2 + how.refresh * full_over_batch(c) : 1);
    listeners = b;
  } else {
    t.rounds = iterations;
    const bool svrg = input.method.oracle == OracleKind::svrg;
    t.gradients = iterations * senders / b * (svrg ? svrg_gradients(c, input.method.refresh) : 1);
  }
  t.up_bits = (t.rounds - whole) * senders * input.messages.up_bits + whole * b * input.messages.down_bits;
  t.down_bits = t.rounds * listeners * input.messages.down_bits;
  return t;
}

}  // namespace pollen::plan
