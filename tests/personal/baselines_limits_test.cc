// Compares the baselines with their recursions written by hand, their fixed points and their limits, on quadratic
// losses.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "baselines_support.h"

namespace pollen {
namespace {

using testing::after;
using testing::begin;
using testing::first_position;
using testing::Matrix;
using testing::model_of;
using testing::near;
using testing::Quadratics;
using testing::server_of;
using testing::Vector;

constexpr double kRounding = 1e-12;
constexpr double kSolved = 1e-8;  // tolerance after enough iterations

// Returns the fixed point of fedavg with K steps of size γ: Σ ρ_i (I - (I - γA_i)^K)(w - w_i*) = 0.
Vector fedavg_limit(const Quadratics& on, double step, Index local_steps) {
  const Index n = on.k + on.d;
  Matrix all = Matrix::Zero(n, n);
  Vector right = Vector::Zero(n);
  for (std::size_t i = 0; i < on.a.size(); ++i) {
    Matrix power = Matrix::Identity(n, n);
    for (Index m = 0; m < local_steps; ++m) power *= Matrix::Identity(n, n) - step * on.a[i];
    const Matrix moved = on.weight[i] * (Matrix::Identity(n, n) - power);
    all += moved;
    right += moved * on.optimum(i);
  }
  return all.fullPivLu().solve(right);
}

TEST(Baselines, FedavgWithOneStepIsPooledGradientDescent) {
  const Quadratics on(2, 2);
  const auto engine = begin("fedavg", on, {.step = 0.05, .local_steps = 1});
  Vector w = first_position(on);
  for (int t = 0; t < 50; ++t) {
    Vector g = Vector::Zero(4);
    for (std::size_t i = 0; i < 6; ++i) g += on.weight[i] * on.slope(i, w);
    w -= 0.05 * g;
    engine->advance(1);
    near(server_of(*engine), w, kRounding);
  }
  near(model_of(*engine, on, 3), w, kRounding);
}

// With two of six clients the server's step is that of one of the fifteen pairs, weighted by N_i.
TEST(Baselines, ActiveClientsAreWeightedByTheirRows) {
  const Quadratics on;
  const Participation two{.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 2};
  const auto engine = begin("fedavg", on, {.step = 0.05, .local_steps = 1, .participation = two});
  for (int t = 0; t < 20; ++t) {
    const Vector w = server_of(*engine);
    engine->advance(1);
    int pairs = 0;
    for (std::size_t i = 0; i < 6; ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double both = on.weight[i] + on.weight[j];
        const Vector g = (on.weight[i] * on.slope(i, w) + on.weight[j] * on.slope(j, w)) / both;
        pairs += (server_of(*engine) - (w - 0.05 * g)).norm() < kRounding ? 1 : 0;
      }
    EXPECT_EQ(pairs, 1);
  }
}

TEST(Baselines, LocalReachesEveryClientsLeastSquares) {
  const Quadratics on;
  const auto engine = after(2000, "local", on, {.step = 0.1, .local_steps = 10});
  Vector mean = Vector::Zero(2);
  for (std::size_t i = 0; i < 6; ++i) {
    near(model_of(*engine, on, i), on.optimum(i), kSolved);
    mean += on.weight[i] * on.optimum(i);
  }
  near(server_of(*engine), mean, kSolved);
}

TEST(Baselines, ScaffoldFindsThePooledMinimumAndFedavgDoesNot) {
  const Quadratics on;
  const BaselineSettings settings{.step = 0.05, .local_steps = 10};
  const auto fedavg = after(2000, "fedavg", on, settings);
  near(server_of(*fedavg), fedavg_limit(on, 0.05, 10), kSolved);
  EXPECT_GT((server_of(*fedavg) - on.pooled()).norm(), 0.01);
  near(server_of(*after(2000, "scaffold", on, settings)), on.pooled(), kSolved);
  BaselineSettings some = settings;
  some.step = 0.02;
  some.participation = {.policy = ParticipationPolicy::fixed_size, .probability = {}, .size = 3};
  near(server_of(*after(4000, "scaffold", on, some)), on.pooled(), kSolved);
}

TEST(Baselines, ScaffoldFollowsOptionTwo) {
  const Quadratics on;
  const double step = 0.05, server_step = 0.7;
  const auto engine = begin("scaffold", on, {.step = step, .local_steps = 3, .server_step = server_step});
  Vector w = first_position(on), c = Vector::Zero(2);
  std::vector<Vector> controls(6, c);
  for (int t = 0; t < 20; ++t) {
    Vector move = Vector::Zero(2), next = Vector::Zero(2);
    for (std::size_t i = 0; i < 6; ++i) {
      Vector y = w;
      for (int m = 0; m < 3; ++m) y -= step * (on.slope(i, y) - controls[i] + c);
      controls[i] += (w - y) / (3 * step) - c;
      move += on.weight[i] * (y - w);
      next += on.weight[i] * controls[i];
    }
    w += server_step * move;
    c = next;
    engine->advance(1);
    near(server_of(*engine), w, 1e-11);
  }
}

// With one step on φ per round, fedrep finds the joint minimum of Σ U_i(φ, z_i). lg-fedavg has the parts the other way
// round.
TEST(Baselines, FedrepMinimisesWithHeadsAtHome) {
  const Quadratics on(1, 2);
  const auto engine = after(20000, "fedrep", on, {.step = 0.1, .local_steps = 1, .head_steps = 20});
  double by_shared = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    const Vector w = model_of(*engine, on, i);
    EXPECT_EQ(w[0], server_of(*engine)[0]);
    const Vector g = on.slope(i, w);
    EXPECT_LE(g.tail(2).cwiseAbs().maxCoeff(), kSolved) << i;
    by_shared += on.weight[i] * g[0];
  }
  EXPECT_NEAR(by_shared, 0, kSolved);
}

TEST(Baselines, FedrepsHeadsFollowTheirSteps) {
  const Quadratics on;
  const auto engine = after(1, "fedrep", on, {.step = 0.05, .local_steps = 2, .head_steps = 3});
  const Vector start = first_position(on);
  double phi = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    Vector w = start;
    for (int m = 0; m < 3; ++m) w[1] -= 0.05 * on.slope(i, w)[1];
    for (int m = 0; m < 2; ++m) w[0] -= 0.05 * on.slope(i, w)[0];
    EXPECT_NEAR(model_of(*engine, on, i)[1], w[1], kRounding);
    phi += on.weight[i] * w[0];
  }
  EXPECT_NEAR(server_of(*engine)[0], phi, kRounding);
}

TEST(Baselines, LgFedavgMinimisesWithRepresentationsAtHome) {
  const Quadratics on(1, 2);
  const auto engine = after(50000, "lg-fedavg", on, {.step = 0.1, .local_steps = 1});
  Vector by_latent = Vector::Zero(2);
  for (std::size_t i = 0; i < 6; ++i) {
    const Vector w = model_of(*engine, on, i);
    EXPECT_EQ(w[2], server_of(*engine)[2]);
    const Vector g = on.slope(i, w);
    EXPECT_NEAR(g[0], 0, kSolved) << i;
    by_latent += on.weight[i] * g.tail(2);
  }
  near(by_latent, Vector::Zero(2), kSolved);
}

TEST(Baselines, DittoGoesFromLocalToFedavg) {
  const Quadratics on;
  const auto local = after(30, "local", on, {.step = 0.05, .local_steps = 5});
  const auto fedavg = after(30, "fedavg", on, {.step = 0.05, .local_steps = 5});
  const auto free = after(30, "ditto", on, {.step = 0.05, .local_steps = 5, .penalty = 0});
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(model_of(*free, on, i), model_of(*local, on, i));
  EXPECT_EQ(server_of(*free), server_of(*fedavg));
  // In between, v_i = (A_i + λ)⁻¹ (r_i + λw), which for a large λ is within a small step of w.
  for (const double penalty : {1.5, 1000.0}) {
    const double step = 0.5 / (penalty + 5);
    const BaselineSettings settings{.step = step, .local_steps = 5, .penalty = penalty};
    const auto engine = after(penalty > 100 ? 60000 : 2000, "ditto", on, settings);
    const Vector w = fedavg_limit(on, step, 5);
    near(server_of(*engine), w, kSolved);
    for (std::size_t i = 0; i < 6; ++i) {
      const Matrix drawn = on.a[i] + penalty * Matrix::Identity(2, 2);
      near(model_of(*engine, on, i), drawn.ldlt().solve(on.b[i] + penalty * w), kSolved);
      if (penalty > 100) near(model_of(*engine, on, i), w, 0.02);
    }
  }
}

TEST(Baselines, ApflGoesFromFedavgToLocal) {
  const Quadratics on;
  const BaselineSettings plain{.step = 0.05, .local_steps = 5};
  const auto local = after(30, "local", on, plain), fedavg = after(30, "fedavg", on, plain);
  const auto none = after(30, "apfl", on, {.step = 0.05, .local_steps = 5, .mixture = 0});
  const auto all = after(30, "apfl", on, {.step = 0.05, .local_steps = 5, .mixture = 1});
  for (std::size_t i = 0; i < 6; ++i) {
    EXPECT_EQ(model_of(*none, on, i), server_of(*fedavg));
    EXPECT_EQ(model_of(*all, on, i), model_of(*local, on, i));
  }
}

TEST(Baselines, ApflFollowsItsRecursion) {
  const Quadratics on;
  const double step = 0.1;
  for (const bool adapt : {false, true}) {
    const auto engine = begin("apfl", on, {.step = step, .local_steps = 2, .mixture = 0.4, .adapt_mixture = adapt});
    Vector w = first_position(on);
    std::vector<Vector> v(6, w);
    std::vector<double> alpha(6, 0.4);
    for (int t = 0; t < 40; ++t) {
      Vector next = Vector::Zero(2);
      for (std::size_t i = 0; i < 6; ++i) {
        Vector y = w;
        for (int m = 0; m < 2; ++m) {
          const double now = alpha[i];
          const Vector g = on.slope(i, now * v[i] + (1 - now) * y);
          if (adapt && m == 0) alpha[i] = std::clamp(now - step * (v[i] - y).dot(g), 0.0, 1.0);
          y -= step * on.slope(i, y);
          v[i] -= step * now * g;
        }
        next += on.weight[i] * y;
      }
      w = next;
      engine->advance(1);
    }
    near(server_of(*engine), w, 1e-11);
    for (std::size_t i = 0; i < 6; ++i) near(model_of(*engine, on, i), alpha[i] * v[i] + (1 - alpha[i]) * w, 1e-11);
    EXPECT_EQ(std::ranges::count(alpha, 0.4), adapt ? 0 : 6);
  }
}

TEST(Baselines, PerFedavgFollowsItsRecursion) {
  const Quadratics on(2, 2);
  const double step = 0.05, inner = 0.08;
  for (const bool free : {false, true}) {
    const auto engine =
        begin("per-fedavg", on, {.step = step, .local_steps = 3, .inner_step = inner, .hessian_free = free});
    Vector w = first_position(on);
    for (int t = 0; t < 20; ++t) {
      Vector next = Vector::Zero(4);
      for (std::size_t i = 0; i < 6; ++i) {
        Vector y = w;
        for (int m = 0; m < 3; ++m) {
          const Vector g = on.slope(i, y - inner * on.slope(i, y));
          y -= step * (free ? Vector(g - inner * on.a[i] * g) : g);
        }
        next += on.weight[i] * y;
      }
      w = next;
      engine->advance(1);
      near(server_of(*engine), w, free ? 1e-9 : kRounding);  // the Hessian-free difference has a larger rounding error
    }
    for (std::size_t i = 0; i < 6; ++i) near(model_of(*engine, on, i), w - inner * on.slope(i, w), 1e-9);
  }
  const auto plain = after(9, "fedavg", on, {.step = step, .local_steps = 3});
  const auto still = after(9, "per-fedavg", on, {.step = step, .local_steps = 3, .inner_step = 0});
  EXPECT_EQ(server_of(*still), server_of(*plain));
}

}  // namespace
}  // namespace pollen
