#include <fmt/format.h>

#include <algorithm>

#include "proofs.h"

namespace pollen::plan {

namespace {

std::optional<Theorem> none(std::string& why, const std::string& text) {
  why = "no theorem covers this combination: " + text;
  return std::nullopt;
}

std::optional<Theorem> of_averaging(const Method& method, const Constants& constants, std::string& why) {
  const Averaging& how = *method.averaging;
  const bool full = method.participation.policy == ParticipationPolicy::full;
  if (method.oracle != OracleKind::full && method.oracle != OracleKind::minibatch)
    return none(why, "averaging with fixed-point or svrg gradients");
  if (how.random) {
    if (how.by_size) return none(why, "random gaps between averages with weights N_i/N (FALD's are 1/b)");
    if (!full) return none(why, "random gaps between averages with partial participation");
    return how.control_variate ? Theorem::vr_fald : Theorem::fald;
  }
  if (how.control_variate) return none(why, "VR-FALD* with an average every K steps (its theorem has random gaps)");
  const auto& clients = constants.clients;
  const auto rows = [](const ClientConstants& a, const ClientConstants& b) { return a.rows < b.rows; };
  const auto [least, most] = std::ranges::minmax_element(clients, rows);
  const bool balanced = most->rows - least->rows <= 1;
  if (!how.by_size && most->rows > least->rows)
    return none(why, "an average every K steps with weights 1/b (FA-LD's are N_i/N)");
  if (method.participation.policy == ParticipationPolicy::bernoulli)
    return none(why, "averaging with independent coins (FA-LD draws a fixed number of clients)");
  if (!full && !method.participation.replacement && !balanced)
    return none(why, "FA-LD's scheme II with clients of unequal size");
  if (constants.unbounded.empty() &&
      std::ranges::any_of(clients, [](const ClientConstants& c) { return !(c.convexity > 0); }))
    return none(why, "FA-LD requires that every client's part is strongly convex, and one is not");
  return Theorem::fa_ld;
}

std::optional<Theorem> of_feedback(const Method& method, std::string& why) {
  if (method.oracle != OracleKind::full) return none(why, "error feedback with stochastic gradients");
  if (method.participation.policy != ParticipationPolicy::full)
    return none(why, "error feedback with partial participation");
  if (method.memory == Memory::average) return none(why, "a compressed downlink with QLSD++'s memory");
  if (!method.down_feedback) return Theorem::d_elf;
  return method.memory == Memory::feedback ? Theorem::b_elf : Theorem::p_elf;
}

// Returns the theorem about samplers like this one, whatever is known of the potential.
std::optional<Theorem> of_method(const Method& method, const Constants& constants, std::string& why) {
  if (method.averaging) return of_averaging(method, constants, why);
  const bool compressed = std::ranges::any_of(constants.clients, [](const ClientConstants& c) { return c.omega > 0; });
  if (method.memory == Memory::feedback || method.down_feedback) {
    if (method.memory == Memory::none && compressed)
      return none(why, "error feedback down with unbiased compression up");
    return of_feedback(method, why);
  }
  // If nothing is compressed and no client is absent, the memories cancel and play no part.
  const bool idle = !compressed && method.participation.policy == ParticipationPolicy::full;
  if (method.memory == Memory::reference && !idle) return none(why, "clsd++ with absent clients");
  const bool memory = method.memory == Memory::average;
  double omega = 0;
  for (const ClientConstants& client : constants.clients) omega = std::max(omega, client.omega);
  if (memory && !idle && method.memory_rate > (1 + 1e-12) / (1 + omega))
    return none(why, "memory_rate is above 1/(1+omega)");
  if (method.oracle == OracleKind::svrg)
    return memory || idle ? std::optional(Theorem::qlsd_pp) : none(why, "svrg gradients compressed without memory");
  if (memory && !idle) return none(why, "memory with gradients other than svrg");
  return method.oracle == OracleKind::fixed_point ? Theorem::qlsd_star : Theorem::qlsd;
}

}  // namespace

std::optional<Theorem> theorem_for(const Method& method, const Constants& constants, std::string& why) {
  const bool bounded = constants.unbounded.empty();
  if (bounded && !(constants.convexity > 0)) return none(why, "the potential is not known to be strongly convex");
  const std::optional<Theorem> found = of_method(method, constants, why);
  if (bounded || !found) return found;
  return none(why,
              fmt::format("{} requires a smoothness constant L of the potential and its strong convexity m > 0, and "
                          "{} has neither",
                          guarantee(*found, constants, method).source, constants.unbounded));
}

}  // namespace pollen::plan
