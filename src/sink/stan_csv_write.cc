#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "sink/stan_csv.h"
#include "sink/text.h"
#include "pollen/version.h"

namespace pollen::sink {

namespace {

// Writes the lines that rstan 2.21 expects after the column names.
std::string adaptation(const RunFacts& facts) {
  std::string text = "# Adaptation terminated\n# Step size = ";
  append_number(text, facts.step);
  text += "\n# Diagonal elements of inverse mass matrix:\n# ";
  for (Index j = 0; j < facts.dimension(); ++j) text += j == 0 ? "1" : ", 1";
  return text + '\n';
}

constexpr const char* kFooter =
    "# \n"
    "#  Elapsed Time: 0 seconds (Warm-up)\n"
    "#                0 seconds (Sampling)\n"
    "#                0 seconds (Total)\n"
    "# the times are in summary.json, so that equal runs give equal files\n"
    "# \n";

void append_row(std::string& line, std::span<const double> chain, const RunFacts& facts) {
  const double potential = chain[0];
  append_number(line, -potential / facts.temperature);
  const auto d = static_cast<std::size_t>(facts.dimension());
  const double plain[SpoolShape::kTransition] = {1, facts.step, 0, 0, 0, potential};
  const auto transition = chain.size() > 1 + d ? chain.subspan(1 + d) : std::span<const double>(plain);
  for (const auto& values : {transition, chain.subspan(1, d)})
    for (const double value : values) {
      line += ',';
      append_number(line, value);
    }
  line += '\n';
}

}  // namespace

std::string stan_csv_name(Index chain) { return fmt::format("draws-{}.csv", chain + 1); }

std::string stan_csv_header(const RunFacts& facts, Index chain, std::int64_t draws) {
  std::string text = fmt::format(
      "# model = {}_model\n# method = sample\n#   num_samples = {}\n#   num_warmup = {}\n#   save_warmup = 0\n"
      "#   thin = {}\n#   algorithm = hmc\n#     engine = nuts\n#       max_depth = 10\n#     metric = diag_e\n"
      "#     stepsize = ",
      facts.model, draws * facts.thin, facts.burn_in, facts.thin);
  append_number(text, facts.step);
  text += fmt::format("\n# id = {}\n# seed = {}\n# pollen_version = {}\n# sampler = {}\n", chain + 1, facts.seed,
                      version(), facts.sampler);
  text += "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
  for (Index j = 0; j < facts.dimension(); ++j) text += fmt::format(",theta.{}", j + 1);
  return text + '\n' + adaptation(facts);
}

// Writes chains first .. last-1 in one pass over the spool.
static void write_group(const std::string& folder, const RunFacts& facts, const SpoolReader& spool, Index first,
                        Index last) {
  std::vector<std::unique_ptr<ReplacingFile>> files;
  for (Index c = first; c < last; ++c) {
    files.push_back(std::make_unique<ReplacingFile>(folder + "/" + stan_csv_name(c)));
    files.back()->write(stan_csv_header(facts, c, spool.draws()));
  }
  const std::size_t width = spool.shape().width();
  std::string line;
  spool.each([&](std::int64_t, std::span<const double> record) {
    for (std::size_t f = 0; f < files.size(); ++f) {
      line.clear();
      append_row(line, record.subspan((static_cast<std::size_t>(first) + f) * width, width), facts);
      files[f]->write(line);
    }
  });
  for (auto& file : files) {
    file->write(std::string_view(kFooter));
    file->commit();
  }
}

void write_stan_csv(const std::string& folder, const RunFacts& facts, const SpoolReader& spool) {
  constexpr Index kOpenAtOnce = 64;
  for (Index first = 0; first < facts.chains; first += kOpenAtOnce)
    write_group(folder, facts, spool, first, std::min(first + kOpenAtOnce, facts.chains));
}

}  // namespace pollen::sink
