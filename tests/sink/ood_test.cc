// Tests how uncertain the averaged predictive is for out-of-distribution rows, compared with test rows.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "fixtures.h"
#include "pollen/scores.h"
#include "sink/summary.h"

namespace pollen::sink {
namespace {

using Json = nlohmann::json;

Table rows_of(const std::vector<std::array<double, 2>>& x, std::vector<double> y) {
  Table table;
  table.rows = std::ssize(x);
  table.columns = 2;
  table.stride = 8;
  table.x.assign(x.size() * 8, 0.0);
  for (std::size_t r = 0; r < x.size(); ++r)
    std::copy(x[r].begin(), x[r].end(), table.x.begin() + 8 * static_cast<std::ptrdiff_t>(r));
  table.y = std::move(y);
  return table;
}

class OodTest : public FolderTest {
 protected:
  OodTest() {
    model_.family = &model_family("softmax");
    model_.features = 2;
    model_.classes = 3;
    data_.train_begin = {0, 2, 5};
    data_.test_begin = {0, 0, 0};  // test rows belong to no client
    data_.client_names = ClientNames({"a", "b"});
    data_.test = rows_of({{1, 4}, {-3, 2}, {5, -1}, {2, 2}}, {0, 1, 2, 0});
    data_.ood = rows_of({{0.1, 0.2}, {0, 0}, {-9, 3}}, {});
  }
  Summary summary() {
    const SpoolShape shape{6, 2};
    write_known_spool(path("draws.spool"), shape, 30);
    const SpoolReader spool(path("draws.spool"));
    Summary summary = summarize(known_facts(shape), spool, 1);
    add_scores(summary, spool, model_, data_, true, 2);
    return summary;
  }
  // Computes by hand the mean probabilities over all draws.
  std::vector<double> probabilities(const Table& table) const {
    std::vector<double> mean(static_cast<std::size_t>(table.rows * 3)), now(mean.size()), theta(6);
    Scratch scratch;
    for (Index i = 0; i < 30; ++i)
      for (Index c = 0; c < 2; ++c) {
        for (Index j = 0; j < 6; ++j) theta[static_cast<std::size_t>(j)] = known_value(i, c, j);
        model_.family->class_probabilities(model_, theta, table.view(), now, scratch);
        for (std::size_t k = 0; k < mean.size(); ++k) mean[k] += now[k];
      }
    for (double& p : mean) p /= 60;
    return mean;
  }
  ModelSpec model_;
  Federation data_;
};

TEST_F(OodTest, IsThatOfTheMeanProbabilities) {
  const Json json = Json::parse(to_json(summary()))["ood"];
  const std::vector<double> in = probabilities(data_.test), out = probabilities(data_.ood);
  const std::vector<double> inside = stats::entropy({in, 3}), outside = stats::entropy({out, 3});
  EXPECT_EQ(json["rows"], 3);
  EXPECT_NEAR(json["entropy_in"], (inside[0] + inside[1] + inside[2] + inside[3]) / 4, 1e-9);
  EXPECT_NEAR(json["entropy_out"], (outside[0] + outside[1] + outside[2]) / 3, 1e-9);
  EXPECT_NEAR(json["auroc"], stats::auroc(inside, outside), 1e-12);
  double confident = 0;
  for (std::size_t r = 0; r < 4; ++r) confident += *std::max_element(&in[3 * r], &in[3 * r] + 3) > 0.9 ? 0.25 : 0;
  EXPECT_NEAR(json["confident_in"], confident, 1e-12);
  EXPECT_LE(json["confident_out"], 2.0 / 3);  // a row of zeros has equal probabilities
  const stats::DensityRule rule = stats::density_rule(inside, outside, std::log(3.0));
  EXPECT_EQ(json["density_in"], rule.in);
  EXPECT_EQ(json["density_out"], rule.out);
}

TEST_F(OodTest, ConfidentRowsAreCounted) {
  const Json json = Json::parse(to_json(summary()));
  const std::vector<double> in = probabilities(data_.test), out = probabilities(data_.ood);
  const auto confidence = [](const std::vector<double>& p, std::size_t r) {
    return *std::max_element(&p[3 * r], &p[3 * r] + 3);
  };
  ASSERT_EQ(json["confidence"].size(), 21u);
  for (const Json& point : json["confidence"]) {
    Index inside = 0, outside = 0, right = 0;
    for (std::size_t r = 0; r < 4; ++r) {
      if (confidence(in, r) < point["threshold"].get<double>()) continue;
      ++inside;
      right += in[3 * r + static_cast<std::size_t>(data_.test.y[r])] == confidence(in, r) ? 1 : 0;
    }
    for (std::size_t r = 0; r < 3; ++r) outside += confidence(out, r) >= point["threshold"].get<double>() ? 1 : 0;
    EXPECT_EQ(point["rows"], inside);
    EXPECT_EQ(point["ood_rows"], outside);
    if (inside == 0)
      EXPECT_TRUE(point["accuracy"].is_null());
    else
      EXPECT_DOUBLE_EQ(point["accuracy"], static_cast<double>(right) / static_cast<double>(inside));
  }
  EXPECT_EQ(json["confidence"][0]["rows"], 4);
  Index rows = 0;
  for (const Json& bin : json["reliability"]) {
    rows += bin["rows"].get<Index>();
    EXPECT_EQ(bin["accuracy"].is_null(), bin["rows"] == 0);
  }
  EXPECT_EQ(rows, 4);
}

TEST_F(OodTest, TestRowsOfNoClientAreScoredTogether) {
  const Json json = Json::parse(to_json(summary()));
  EXPECT_TRUE(json["metrics"]["accuracy"].is_number());
  ASSERT_EQ(json["clients"].size(), 2u);
  EXPECT_EQ(json["clients"][1]["train_rows"], 3);
  EXPECT_EQ(json["clients"][1]["test_rows"], 0);
  EXPECT_TRUE(json["clients"][1]["accuracy"].is_null());
}

TEST_F(OodTest, WithoutTestRowsOnlyTheirOwnNumbersAreThere) {
  data_.test = {};
  const Json json = Json::parse(to_json(summary()));
  EXPECT_TRUE(json["metrics"].empty());
  EXPECT_TRUE(json["ood"]["entropy_out"].is_number());
  EXPECT_TRUE(json["ood"]["entropy_in"].is_null());
  EXPECT_TRUE(json["ood"]["auroc"].is_null());
  EXPECT_TRUE(json["ood"]["density_out"].is_null());
  EXPECT_FALSE(json.contains("confidence"));
}

TEST_F(OodTest, IsAbsentWhereItIsNotAskedFor) {
  data_.ood = {};
  const Json json = Json::parse(to_json(summary()));
  EXPECT_FALSE(json.contains("ood"));
  EXPECT_FALSE(json["confidence"][0].contains("ood_rows"));
}

}  // namespace
}  // namespace pollen::sink
