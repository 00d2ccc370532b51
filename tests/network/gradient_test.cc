// Compares loss, outputs and gradient with a plain forward pass in double and its central differences.
#include <gtest/gtest.h>

#include <cmath>

#include "network/network.h"
#include "network/reference.h"

namespace pollen {
namespace {

using test::Case;
using test::lenet5;
using test::mlp;
using test::response;
using test::some_rows;

constexpr double kStep = 1e-6;  // in double, and small enough that few units cross a kink

double norm_of(const std::vector<float>& v) {
  double sum = 0;
  for (const float g : v) sum += static_cast<double>(g) * static_cast<double>(g);
  return std::sqrt(sum);
}

// Checks the first, the last and some other coordinates of every tensor.
void expect_coordinates(const Case& c, const std::vector<std::uint32_t>& rows, const std::vector<float>& gradient,
                        std::int64_t some) {
  std::vector<double> at(c.theta.begin(), c.theta.end());
  const double typical = norm_of(gradient) / std::sqrt(static_cast<double>(gradient.size()));
  for (const NetworkTensor& t : c.network->tensors()) {
    for (std::int64_t k = 0; k <= some; ++k) {
      const auto i = static_cast<std::size_t>(t.offset + (t.size - 1) * k / some);
      const double keep = at[i];
      at[i] = keep + kStep;
      const double up = c.reference(rows, at);
      at[i] = keep - kStep;
      const double down = c.reference(rows, at);
      at[i] = keep;
      const double slope = (up - down) / (2 * kStep);
      EXPECT_NEAR(static_cast<double>(gradient[i]), slope, 3e-5 * (std::abs(slope) + typical)) << t.name << ' ' << i;
    }
  }
}

// Checks every coordinate at once by the slope along directions that mix them all.
void expect_directions(const Case& c, const std::vector<std::uint32_t>& rows, const std::vector<float>& gradient) {
  std::uint32_t state = 1;
  for (int turn = 0; turn < 4; ++turn) {
    std::vector<double> up(c.theta.begin(), c.theta.end()), down = up;
    double slope = 0;
    for (std::size_t i = 0; i < up.size(); ++i) {
      state = state * 1664525u + 1013904223u;
      const double v = (state >> 31) != 0 ? 1.0 : -1.0;
      up[i] += 1e-8 * v;
      down[i] -= 1e-8 * v;
      slope += v * static_cast<double>(gradient[i]);
    }
    const double expected = (c.reference(rows, up) - c.reference(rows, down)) / 2e-8;
    EXPECT_NEAR(slope, expected, 1e-5 * norm_of(gradient));
  }
}

void expect_right(const NetworkSpec& spec, const std::vector<std::int64_t>& counts, std::int64_t some) {
  const Case c(spec, 40);
  const std::vector<double> theta(c.theta.begin(), c.theta.end());
  for (const std::int64_t count : counts) {
    SCOPED_TRACE(count);
    const auto rows = some_rows(count, 40, static_cast<std::uint32_t>(count));
    std::vector<float> gradient;
    const double loss = c.loss(rows, &gradient);
    EXPECT_NEAR(loss, c.reference(rows, theta), 2e-6 * std::abs(loss) + 1e-6 * static_cast<double>(count));
    EXPECT_EQ(loss, c.loss(rows));
    expect_directions(c, rows, gradient);
    if (some > 0) expect_coordinates(c, rows, gradient, some);
  }
}

TEST(LeanGradient, LeNet5) {
  expect_right(lenet5(), {3, 17}, 4);
  expect_right(lenet5(), {1, 16, 64}, 0);
}

TEST(LeanGradient, Activations) {
  for (const char* name : {"relu", "tanh", "swish"}) {
    SCOPED_TRACE(name);
    expect_right(mlp(21, {13, 33}, 3, name), {1, 3, 16, 17, 64}, 7);
    expect_right(response(5, {50}, name, 0.3), {1, 3, 16, 17, 64}, 7);
  }
}

TEST(LeanGradient, SoftmaxRegression) { expect_right(mlp(30, {}, 4), {1, 3, 16, 17, 64, 100}, 20); }

TEST(LeanGradient, LinearRegression) { expect_right(response(7, {}, "relu", 2.0), {1, 17, 64}, 6); }

TEST(LeanGradient, ManyShapes) {
  for (const std::int64_t inputs : {1, 2, 15, 16, 17, 31, 48, 65, 130, 240}) {
    for (const std::int64_t units : {1, 5, 7, 12, 16, 19, 40}) {
      SCOPED_TRACE(std::to_string(inputs) + " " + std::to_string(units));
      expect_right(mlp(inputs, {units, 3}, 2, "tanh"), {1, 20, 40, 70}, 0);
    }
  }
}

TEST(LeanGradient, Outputs) {
  for (const NetworkSpec& spec : {lenet5(), mlp(21, {13, 33}, 3, "swish"), response(5, {9}, "tanh", 1.0)}) {
    const Case c(spec, 90);
    const std::vector<double> theta(c.theta.begin(), c.theta.end());
    const auto width = static_cast<std::size_t>(spec.outputs);
    std::vector<float> out(71 * width);
    c.network->outputs(*c.held, 19, 71, c.theta.data(), out.data());
    for (std::size_t r = 0; r < 71; ++r) {
      const auto expected =
          test::reference_outputs(spec, theta, c.x.data() + (r + 19) * static_cast<std::size_t>(spec.inputs()));
      for (std::size_t k = 0; k < width; ++k) ASSERT_NEAR(static_cast<double>(out[r * width + k]), expected[k], 1e-5);
    }
  }
}

// The outputs are so large that a careless softmax would overflow.
TEST(LeanGradient, LargeOutputs) {
  Case c(mlp(3, {}, 3), 5);
  for (float& t : c.theta) t *= 500.0f;
  std::vector<float> gradient;
  const double loss = c.loss({0, 1, 2, 3, 4}, &gradient);
  EXPECT_NEAR(loss, c.reference({0, 1, 2, 3, 4}, std::vector<double>(c.theta.begin(), c.theta.end())), 1e-6 * loss);
  for (const float g : gradient) EXPECT_TRUE(std::isfinite(g));
}

// A chain that diverged must be visible, so nothing on the way turns NaN into a number.
TEST(LeanGradient, NaNShows) {
  for (const NetworkSpec& spec : {lenet5(), mlp(21, {13}, 3), mlp(21, {13}, 3, "tanh"), mlp(21, {13}, 3, "swish")}) {
    for (const std::size_t at : {std::size_t{0}, std::size_t{20}}) {
      Case c(spec, 5);
      c.theta[at] = std::nanf("");
      EXPECT_TRUE(std::isnan(c.loss({0, 1, 2})));
    }
  }
}

}  // namespace
}  // namespace pollen
