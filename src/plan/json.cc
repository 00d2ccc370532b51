#include <nlohmann/json.hpp>

#include "proofs.h"

namespace pollen::plan {

namespace {

using Json = nlohmann::ordered_json;

Json json_of(const Traffic& t) {
  return {{"rounds", t.rounds}, {"gradients", t.gradients}, {"up_bits", t.up_bits}, {"down_bits", t.down_bits}};
}

Json json_of(const Bound& b) {
  Json terms = Json::object();
  for (const Term& term : b.terms) terms[term.name] = term.square;
  return {{"step", b.step},           {"iterations", b.iterations},        {"w2", b.w2},
          {"limit", b.limit},         {"kl", b.kl ? Json(*b.kl) : Json()}, {"rate", b.rate},
          {"terms_w2_squared", terms}};
}

Json json_of(const Reach& r) {
  Json json{{"precision", r.precision}, {"reached", r.reached}};
  if (!r.reached) {
    json["floor"] = r.floor;
    return json;
  }
  json["step"] = r.step;
  json["iterations"] = r.iterations;
  json.update(json_of(r.traffic));
  return json;
}

Json json_of(const Choice& c) {
  return {{"name", c.name}, {"value", c.value},       {"price", c.price},
          {"cost", c.cost}, {"cost_now", c.cost_now}, {"reach", json_of(c.reach)}};
}

}  // namespace

// Writes the plan as JSON. Numbers that are not finite become null.
std::string to_json(const Plan& plan) {
  const Constants& c = plan.constants;
  const auto known = [&](double x) { return c.unbounded.empty() ? Json(x) : Json(); };
  Json limits = Json::array();
  for (const StepLimit& limit : plan.limits) limits.push_back({{"rule", limit.rule}, {"value", limit.value}});
  Json json{{"theorem", plan.theorem ? Json(name_of(*plan.theorem)) : Json()},
            {"source", plan.source},
            {"dimension", c.dimension},
            {"clients", c.clients.size()},
            {"temperature", c.temperature},
            {"convexity", known(c.convexity)},
            {"smoothness", known(c.smoothness)},
            {"start", known(c.start)},
            {"heterogeneity", known(plan.heterogeneity)},
            {"step", plan.theorem ? Json(plan.step) : Json()},
            {"step_limits", limits},
            {"bound", plan.bound ? json_of(*plan.bound) : Json()},
            {"traffic", json_of(plan.traffic)},
            {"precision", plan.reach ? json_of(*plan.reach) : Json()},
            {"local_steps", plan.choice ? json_of(*plan.choice) : Json()},
            {"warnings", plan.warnings}};
  return json.dump(2) + "\n";
}

}  // namespace pollen::plan
