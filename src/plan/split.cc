// Splits a bound into terms. Every cause is switched off, then they are switched on again one at a time, and each is
// charged with what it adds. The terms therefore add up, none is negative, and the term of an absent cause is zero.
// Where two causes multiply, such as compression and heterogeneity, the later one is charged.
#include <algorithm>

#include "proofs.h"

namespace pollen::plan {

namespace {

enum Part { kGradientNoise = 1, kCompression = 2, kParticipation = 4, kLocalDrift = 8, kHeterogeneity = 16 };

PlanInput without(const PlanInput& input, int on) {
  PlanInput rest = input;
  if (!(on & kParticipation)) rest.method.participation = {};
  if (!(on & kCompression)) rest.method.down_alpha = 1;
  if (rest.method.averaging && !(on & kLocalDrift))
    rest.method.averaging->communicate = rest.method.averaging->steps = 1;
  for (ClientConstants& client : rest.constants.clients) {
    if (!(on & kGradientNoise)) client.batch = client.rows, client.variance = 0;
    if (!(on & kCompression)) client.omega = 0, client.alpha = 1;
    if (!(on & kHeterogeneity)) client.gradient = 0;
  }
  return rest;
}

}  // namespace

std::vector<Term> split(Theorem theorem, const PlanInput& input, double step) {
  const auto limit = [&](int on) {
    const PlanInput rest = without(input, on);
    return guarantee(theorem, rest.constants, rest.method).limit(step);
  };
  std::vector<Term> terms = {{"discretisation", limit(0)}};
  const std::pair<const char*, Part> order[] = {{"gradient noise", kGradientNoise},
                                                {"compression", kCompression},
                                                {"participation", kParticipation},
                                                {"local drift", kLocalDrift},
                                                {"heterogeneity", kHeterogeneity}};
  int on = 0;
  double before = terms[0].square;
  for (const auto& [name, part] : order) {
    on |= part;
    const double now = limit(on);
    terms.push_back({name, std::max(0.0, now - before)});
    before = now;
  }
  return terms;
}

}  // namespace pollen::plan
