// Tests the variation of images for gradient descent: exact reflections and shifts, in the stated proportions, and
// nowhere else.
#include "model/augment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>

#include "network/network.h"

namespace pollen::model {
namespace {

NetworkSpec images() {
  NetworkSpec spec;
  spec.channels = 2;
  spec.height = 2;
  spec.width = 3;
  return spec;
}

const std::vector<double> kImage = {1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15, 16};

std::vector<double> varied(const Variation& variation) {
  std::vector<double> out(kImage.size());
  vary(images(), kImage.data(), variation, out.data());
  return out;
}

TEST(Augment, MirrorsEveryRowOfEveryChannel) {
  EXPECT_EQ(varied({}), kImage);
  EXPECT_EQ(varied({true, 0, 0}), (std::vector<double>{3, 2, 1, 6, 5, 4, 13, 12, 11, 16, 15, 14}));
}

TEST(Augment, MovesAndFillsWithZeros) {
  EXPECT_EQ(varied({false, 1, 0}), (std::vector<double>{4, 5, 6, 0, 0, 0, 14, 15, 16, 0, 0, 0}));
  EXPECT_EQ(varied({false, -1, 2}), (std::vector<double>{0, 0, 0, 3, 0, 0, 0, 0, 0, 13, 0, 0}));
  EXPECT_EQ(varied({true, 0, 1}), (std::vector<double>{0, 3, 2, 0, 6, 5, 0, 13, 12, 0, 16, 15}));
  EXPECT_EQ(varied({false, 4, -4}), std::vector<double>(12, 0.0));
}

// With 9,000 images a share of 1/2 has sd 0.0053 and one of 1/9 has 0.0033; the tolerance is five of each.
TEST(Augment, IsAsOftenAsSaid) {
  constexpr int kImages = 9000;
  Sequence sequence(make_stream(1, 0, Purpose::minibatch));
  double flipped = 0;
  std::array<double, 9> down{}, right{};
  for (int i = 0; i < kImages; ++i) {
    const Variation v = draw_variation({true, true}, sequence);
    flipped += v.flipped ? 1.0 / kImages : 0;
    down.at(static_cast<std::size_t>(v.down + 4)) += 1.0 / kImages;
    right.at(static_cast<std::size_t>(v.right + 4)) += 1.0 / kImages;
  }
  EXPECT_NEAR(flipped, 0.5, 0.027);
  for (const auto& shares : {down, right})
    for (const double share : shares) EXPECT_NEAR(share, 1.0 / 9, 0.017);
  const Variation plain = draw_variation({}, sequence), crop = draw_variation({false, true}, sequence);
  EXPECT_FALSE(plain.flipped || crop.flipped);
  EXPECT_TRUE(plain.down == 0 && plain.right == 0);
}

// A network's gradient of varied rows equals that of rows varied by hand and then scaled. Other models' gradients do
// not change.
TEST(Augment, IsForGradientDescentAlone) {
  constexpr std::size_t kRows = 5;
  NetworkSpec spec = images();
  spec.outputs = 3;
  spec.hidden = {4};
  NetworkModel model{make_lean_network(spec), {0.5, 9}, {2, 4}, {true, true}};
  const Index inputs = spec.inputs();
  std::vector<double> x(kRows * kImage.size()), y = {0, 1, 2, 1, 0};
  normals(make_stream(2, 0, Purpose::synthetic), x);
  const Stream stream = make_stream(3, 0, Purpose::minibatch);
  const std::vector<std::uint32_t> rows = {1, 3, 4};
  std::vector<double> by_hand(rows.size() * kImage.size()), targets;
  Sequence sequence(stream);
  for (std::size_t k = 0; k < rows.size(); ++k) {
    vary(spec, x.data() + rows[k] * kImage.size(), draw_variation(model.augment, sequence),
         by_hand.data() + k * kImage.size());
    targets.push_back(y[rows[k]]);
  }
  ModelSpec kind;
  kind.family = &model_family("mlp");
  kind.features = inputs;
  kind.classes = 3;
  kind.network = model;
  const auto potential = make_potential(kind, {{x.data(), kRows, inputs, inputs}, y.data()}, 2.0);
  const auto other = make_potential(kind, {{by_hand.data(), 3, inputs, inputs}, targets.data()}, 2.0);
  const auto d = static_cast<std::size_t>(potential->dimension());
  std::vector<double> theta(d), found(d), expected(d), plain(d);
  normals(make_stream(4, 0, Purpose::init), theta);
  Scratch scratch;
  potential->varied_rows(theta, rows, stream, found, scratch);
  other->gradient_rows(theta, std::vector<std::uint32_t>{0, 1, 2}, expected, scratch);
  EXPECT_EQ(found, expected);
  potential->gradient_rows(theta, rows, plain, scratch);
  EXPECT_NE(found, plain);
}

}  // namespace
}  // namespace pollen::model
