// Tests the papers' splits by shares of labels: how much of each label a client has.
#include <gmock/gmock.h>

#include <algorithm>
#include <set>

#include "data/partition.h"
#include "files.h"

namespace pollen::data {
namespace {

using ::testing::HasSubstr;

// Returns labels such that row r has label r mod `classes`, with `each` rows per label.
std::vector<std::uint32_t> even_labels(std::uint32_t classes, std::uint32_t each) {
  std::vector<std::uint32_t> labels(std::size_t{classes} * each);
  for (std::uint32_t r = 0; r < labels.size(); ++r) labels[r] = r % classes;
  return labels;
}

// Returns counts[client][label]. A row that belongs to two clients is a failure.
std::vector<std::vector<int>> counts_of(const std::vector<Rows>& clients, const std::vector<std::uint32_t>& labels,
                                        std::uint32_t classes) {
  std::vector<std::vector<int>> counts(clients.size(), std::vector<int>(classes));
  std::set<std::uint32_t> seen;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    EXPECT_TRUE(std::is_sorted(clients[i].begin(), clients[i].end()));
    for (const std::uint32_t r : clients[i]) {
      EXPECT_TRUE(seen.insert(r).second) << r;
      ++counts[i][labels[r]];
    }
  }
  return counts;
}

std::size_t rows_in(const std::vector<Rows>& clients) {
  std::size_t rows = 0;
  for (const Rows& client : clients) rows += client.size();
  return rows;
}

TEST(DominantLabel, TwentyClientsOfQlsd) {
  const auto labels = even_labels(10, 600);
  const std::vector<Rows> split = deal(labels, dominant_label(20, 10, 0.4, 0.01), 1);
  const auto counts = counts_of(split, labels, 10);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t y = 0; y < 10; ++y) EXPECT_EQ(counts[i][y], i % 10 == y ? 240 : 6) << i << ' ' << y;
  EXPECT_EQ(rows_in(split), 5880u);  // 2 % of the rows belong to no client
}

TEST(LabelPairs, TwentyClientsOfFald) {
  const auto labels = even_labels(10, 900);
  const std::vector<Rows> split = deal(labels, label_pairs(20, 10, 0.8), 1);
  const auto counts = counts_of(split, labels, 10);
  for (std::size_t i = 0; i < 20; ++i)
    for (std::size_t y = 0; y < 10; ++y) EXPECT_EQ(counts[i][y], i % 10 == y ? 360 : 10) << i << ' ' << y;
  EXPECT_EQ(rows_in(split), labels.size());
}

TEST(LabelPairs, AnyNumbersOfClientsAndLabelsGiveEverythingAway) {
  for (const std::uint32_t classes : {2u, 3u, 7u})
    for (const std::size_t clients : {1u, 2u, 5u, 9u, 23u}) {
      const Shares shares = label_pairs(clients, classes, 0.8);
      for (std::size_t y = 0; y < classes; ++y) EXPECT_NEAR(shares.total(y), 1.0, 1e-12) << clients << ' ' << y;
      const auto labels = even_labels(classes, 101);
      EXPECT_EQ(rows_in(deal(labels, shares, 3)), labels.size());
    }
}

TEST(ClassesPerClient, EveryClientHasItsNumberAndLabelsAreEvenlyWanted) {
  for (const std::size_t chosen : {1u, 2u, 3u, 10u})
    for (const std::size_t clients : {1u, 7u, 20u, 100u}) {
      const Shares shares = classes_per_client(clients, 10, chosen, 5);
      std::vector<std::size_t> takers(10);
      for (std::size_t i = 0; i < clients; ++i) {
        std::size_t own = 0;
        for (std::size_t y = 0; y < 10; ++y)
          if (shares.at(i, y) > 0) ++own, ++takers[y];
        EXPECT_EQ(own, chosen);
      }
      const auto [least, most] = std::minmax_element(takers.begin(), takers.end());
      EXPECT_LE(*most - *least, 1u);
      for (std::size_t y = 0; y < 10; ++y) EXPECT_NEAR(shares.total(y), takers[y] > 0 ? 1.0 : 0.0, 1e-12);
    }
}

TEST(ClassesPerClient, SizesOfAHundredClients) {
  const auto labels = even_labels(10, 5000);  // the sizes of CIFAR-10
  const std::vector<Rows> split = deal(labels, classes_per_client(100, 10, 2, 1), 1);
  for (const Rows& rows : split) EXPECT_EQ(rows.size(), 500u);
  EXPECT_EQ(rows_in(split), labels.size());
}

TEST(Shares, RoundingFavoursNobody) {
  const auto labels = even_labels(40, 50);  // half a row of each label for each of 100 clients
  const std::vector<Rows> split = deal(labels, dominant_label(100, 40, 0.01, 0.01), 1);
  EXPECT_EQ(rows_in(split), labels.size());
  // The mean is 20. With a fixed order of clients, every second one would have no rows.
  for (const Rows& rows : split) EXPECT_GT(rows.size(), 5u);
}

TEST(Shares, TheSeedDecides) {
  const auto labels = even_labels(10, 50);
  const Shares shares = dominant_label(10, 10, 0.4, 0.05);
  EXPECT_EQ(deal(labels, shares, 1), deal(labels, shares, 1));
  EXPECT_NE(deal(labels, shares, 1), deal(labels, shares, 2));
  EXPECT_EQ(classes_per_client(20, 10, 2, 1).of, classes_per_client(20, 10, 2, 1).of);
  EXPECT_NE(classes_per_client(20, 10, 2, 1).of, classes_per_client(20, 10, 2, 2).of);
}

class SharesOfAFile : public ::testing::Test {
 protected:
  SharesOfAFile() {
    std::string text = "x,y\n";
    for (int r = 0; r < 300; ++r) text += std::to_string(r) + (r % 3 == 0 ? ",a\n" : r % 3 == 1 ? ",b\n" : ",c\n");
    spec_.sources = {folder_.write("a.csv", text)};
    spec_.features = {"x"};  // the numbers of the rows are meant
  }
  Federation load() const { return load_federation(spec_, TargetKind::classes, 1, "e.toml"); }
  std::string says() const {
    return testing::complaint([&] { load(); });
  }
  testing::Folder folder_;
  DataSpec spec_;
};

TEST_F(SharesOfAFile, DefaultsAreThePapers) {
  spec_.partition = "dominant-label";
  spec_.dominant_share = 0.1;
  EXPECT_EQ(load().clients(), 20);
  EXPECT_THAT(load().notes.at(0), HasSubstr("rows are in no client"));
  spec_.partition = "label-pairs";
  spec_.dominant_share.reset();
  EXPECT_EQ(load().clients(), 20);
  EXPECT_TRUE(load().notes.empty());
  EXPECT_EQ(with_defaults(spec_).dominant_share, 0.8);
  spec_.partition = "classes-per-client";
  EXPECT_EQ(load().clients(), 10);
}

TEST_F(SharesOfAFile, MoreThanAllOfALabelIsAnError) {
  spec_.partition = "dominant-label";
  EXPECT_EQ(says(),
            "e.toml: data.dominant_share: found 0.4, with which (data.other_share being 0.01) 20 clients take 2.93 of "
            "the label \"a\", accepted: shares that sum to at most 1 for each label");
}

TEST_F(SharesOfAFile, AClientWithoutRowsIsAnError) {
  spec_.partition = "dominant-label";
  spec_.dominant_share = 0.0;
  spec_.other_share = 0.0;
  EXPECT_EQ(says(),
            "e.toml: data.partition: found \"dominant-label\", which leaves client 1 of 20 without rows, accepted: "
            "fewer clients, or larger shares of more rows");
}

TEST_F(SharesOfAFile, MoreClassesThanThereAreIsAnError) {
  spec_.partition = "classes-per-client";
  spec_.classes_per_client = 4;
  EXPECT_EQ(says(), "e.toml: data.classes_per_client: found 4, accepted: at most the 3 labels");
}

TEST_F(SharesOfAFile, LabelsThatNobodyHasAreLeftOut) {
  spec_.partition = "classes-per-client";
  spec_.clients = 2;
  spec_.classes_per_client = 1;
  spec_.test_fraction = 0.0;
  EXPECT_EQ(load().train.rows, 200);
  EXPECT_THAT(load().notes.at(0), HasSubstr("100 of 300 rows are in no client"));
}

}  // namespace
}  // namespace pollen::data
