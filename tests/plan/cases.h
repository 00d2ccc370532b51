// One problem and one method per theorem, with every feature switched on.
#pragma once

#include <string>
#include <vector>

#include "pollen/plan.h"

namespace pollen::plan {

struct Case {
  std::string name;
  Theorem theorem;
  Method method;
};

inline Constants mixed_constants() {
  Constants c;
  c.dimension = 5;
  c.convexity = 12;
  c.smoothness = 60;
  c.start = 3;
  c.clients = {{.rows = 40,
                .batch = 8,
                .smoothness = 20,
                .convexity = 3,
                .row_smoothness = 0.9,
                .gradient = 7,
                .variance = 30,
                .omega = 0.5,
                .alpha = 0.4},
               {.rows = 40,
                .batch = 5,
                .smoothness = 26,
                .convexity = 2.5,
                .row_smoothness = 1.1,
                .gradient = 11,
                .variance = 45,
                .omega = 1.5,
                .alpha = 0.3},
               {.rows = 40,
                .batch = 20,
                .smoothness = 18,
                .convexity = 4,
                .row_smoothness = 0.8,
                .gradient = 2,
                .variance = 12,
                .omega = 0.8,
                .alpha = 0.6}};
  return c;
}

inline Method gradient_method(OracleKind oracle) {
  Method m;
  m.oracle = oracle;
  m.participation.policy = ParticipationPolicy::bernoulli;
  m.participation.probability = {0.6};
  m.participation.scaling = Scaling::inverse_probability;
  return m;
}

inline Method averaging_method(Averaging how) {
  Method m;
  m.oracle = OracleKind::minibatch;
  m.averaging = how;
  return m;
}

inline std::vector<Case> all_cases() {
  Method plus = gradient_method(OracleKind::svrg), down, both, partial = averaging_method({});
  plus.memory = Memory::average;
  plus.memory_rate = 0.4;
  plus.refresh = 7;
  Method up;
  up.memory = both.memory = Memory::feedback;
  down.down_feedback = both.down_feedback = true;
  down.down_alpha = both.down_alpha = 0.5;
  partial.averaging = Averaging{.random = false, .steps = 4, .common = 0.3, .by_size = true};
  partial.participation.policy = ParticipationPolicy::fixed_size;
  partial.participation.size = 2;
  return {{"qlsd#", Theorem::qlsd, gradient_method(OracleKind::minibatch)},
          {"qlsd*", Theorem::qlsd_star, gradient_method(OracleKind::fixed_point)},
          {"qlsd++", Theorem::qlsd_pp, plus},
          {"d-elf", Theorem::d_elf, up},
          {"p-elf", Theorem::p_elf, down},
          {"b-elf", Theorem::b_elf, both},
          {"fald", Theorem::fald, averaging_method({.communicate = 0.3, .common = 0.7})},
          {"vr-fald*", Theorem::vr_fald,
           averaging_method({.communicate = 0.4, .control_variate = true, .refresh = 0.2, .common = 0.8})},
          {"fa-ld", Theorem::fa_ld, partial}};
}

}  // namespace pollen::plan
