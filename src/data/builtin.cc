#include "builtin.h"

#include <array>

#include "data/registries.h"

namespace pollen {

const Registry<BuiltinSet>& builtin_sets() {
  static const Registry<BuiltinSet> rows(
      "data.source",
      {{"titanic", "2201 people of the Titanic: class, sex, age; who survived", "", false,
        [](const DataSpec&, std::uint64_t) { return data::titanic(); }},
       {"synthetic-gaussian", "N(μ_i, I) rows, means spread by data.heterogeneity (the toy of the QLSD paper)",
        "dimension heterogeneity min_size max_size", true, data::synthetic_gaussian},
       {"synthetic-logistic", "SYNTHETIC(α, β) of Li et al. 2020, two classes",
        "dimension min_size max_size alpha beta", true, data::synthetic_logistic},
       {"synthetic-mixed", "y ~ N(xᵀΦz_i, σ²), one z_i per client, most clients small (Collins et al. 2021; FedPop)",
        "dimension heterogeneity min_size max_size latent_dimension noise_sd small_share", true,
        data::synthetic_mixed}});
  return rows;
}

std::vector<std::string> builtin_datasets() { return builtin_sets().names(); }

namespace data {

namespace {

// The Titanic data of Dawson, R. J. M. (1995), "The 'Unusual Episode' Data Revisited", Journal of Statistics Education
// 3(3), as in R's datasets::Titanic.
constexpr std::array<const char*, 4> kClass{"1st", "2nd", "3rd", "crew"};
constexpr std::array<const char*, 2> kSex{"male", "female"};
constexpr std::array<const char*, 2> kAge{"child", "adult"};
constexpr std::array<const char*, 2> kSurvived{"no", "yes"};

// The counts kCounts[survived][age][sex][class], in the order in which R prints them.
constexpr int kCounts[2][2][2][4] = {
    {{{0, 0, 35, 0}, {0, 0, 17, 0}}, {{118, 154, 387, 670}, {4, 13, 89, 3}}},
    {{{5, 11, 13, 0}, {1, 13, 14, 0}}, {{57, 14, 75, 192}, {140, 80, 76, 20}}},
};

void add_people(RawTable& table, std::array<const char*, 4> cells, int count) {
  for (int n = 0; n < count; ++n) {
    const auto row = static_cast<std::uint32_t>(table.rows.size());
    table.rows.push_back({0, row, row + 1});
    for (std::size_t c = 0; c < cells.size(); ++c) table.columns[c].add_text(cells[c]);
  }
}

}  // namespace

RawTable titanic() {
  RawTable table;
  table.files = {"titanic"};
  for (const char* name : {"class", "sex", "age", "survived"}) table.columns.emplace_back().name = name;
  for (std::size_t c = 0; c < 4; ++c)
    for (std::size_t s = 0; s < 2; ++s)
      for (std::size_t a = 0; a < 2; ++a)
        for (std::size_t v = 0; v < 2; ++v)
          add_people(table, {kClass[c], kSex[s], kAge[a], kSurvived[v]}, kCounts[v][a][s][c]);
  return table;
}

bool is_builtin(const std::string& source) { return builtin_sets().find(source) != nullptr; }

bool is_synthetic(const std::string& source) {
  const BuiltinSet* set = builtin_sets().find(source);
  return set != nullptr && set->makes_clients;
}

}  // namespace data
}  // namespace pollen
