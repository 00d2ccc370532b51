#include "sink/draws.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "pollen/errors.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/stan_csv.h"
#include "sink/stored_summary.h"

namespace pollen::sink {

namespace fs = std::filesystem;

namespace {

// Orders names with numbers, so that "draws-10" comes after "draws-9": runs of digits compare as numbers (a longer run
// is larger, leading zeros aside).
bool numbers_in_order(const std::string& a, const std::string& b) {
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (digit(a[i]) && digit(b[j])) {
      std::size_t m = i, n = j;
      while (m < a.size() && digit(a[m])) ++m;
      while (n < b.size() && digit(b[n])) ++n;
      if (m - i != n - j) return m - i < n - j;
      const int order = a.compare(i, m - i, b, j, n - j);
      if (order != 0) return order < 0;
      i = m, j = n;
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i, ++j;
    }
  }
  return a.size() - i < b.size() - j;
}

DrawSet join(const std::vector<StanCsv>& files, const std::vector<std::string>& paths) {
  DrawSet set;
  set.names = set.labels = files.front().names;
  set.chains = static_cast<Index>(files.size());
  set.length = files.front().rows();
  bool lp = true;
  for (std::size_t f = 0; f < files.size(); ++f) {
    if (files[f].names != set.names)
      throw ConfigError(paths[f], "found other columns than in " + paths.front() + ", accepted: chains of one model");
    if (files[f].rows() != set.length)
      set.notes.push_back(fmt::format("{} has {} draws: the first {} of every chain are used", paths[f],
                                      files[f].rows(), std::min(files[f].rows(), set.length)));
    set.length = std::min(set.length, files[f].rows());
    lp = lp && !files[f].lp.empty() && std::isfinite(files[f].lp.front());
  }
  set.values.resize(set.names.size());
  for (const StanCsv& file : files) {
    for (std::size_t j = 0; j < set.names.size(); ++j)
      set.values[j].insert(set.values[j].end(), file.columns[j].begin(), file.columns[j].begin() + set.length);
    if (lp) set.lp.insert(set.lp.end(), file.lp.begin(), file.lp.begin() + set.length);
  }
  return set;
}

}  // namespace

std::vector<std::string> draw_files(const std::string& folder) {
  std::vector<std::string> ours, others;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (!name.ends_with(".csv") || name == "metrics.csv") continue;
    (is_run_file(name) ? ours : others).push_back(it->path().string());
  }
  if (error) throw ConfigError(folder, "cannot be read: " + error.message());
  auto& files = ours.empty() ? others : ours;
  std::sort(files.begin(), files.end(), numbers_in_order);
  return files;
}

DrawSet read_draws(const std::string& folder) {
  const auto paths = draw_files(folder);
  if (paths.empty())
    throw ConfigError(folder, "found no draws, accepted: a folder with draws-1.csv, ... or CmdStan's CSVs");
  std::vector<StanCsv> files(paths.size());
  constexpr int kAtOnce = 4;  // number of files in memory at once
  for_each_index(static_cast<Index>(paths.size()), std::min(kAtOnce, sensible_threads(0)), [&](Index i) {
    files[static_cast<std::size_t>(i)] = read_stan_csv(paths[static_cast<std::size_t>(i)]);
  });
  DrawSet set = join(files, paths);
  if (const auto stored = read_stored_summary(RunFolder(folder).summary())) {
    if (stored->labels.size() == set.labels.size()) set.labels = stored->labels;
    set.coupled = stored->coupled;
  }
  return set;
}

DrawSet read_draws_file(const std::string& csv) { return join({read_stan_csv(csv)}, {csv}); }

Panel DrawSet::thinned(Index most) const {
  const Index all = chains * length, count = std::min(most, all);
  Panel panel(dimension(), count);
  for (Index i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>((i + 1) * all / count - 1);
    for (std::size_t j = 0; j < values.size(); ++j) panel.column(i)[j] = values[j][at];
  }
  return panel;
}

std::vector<stats::ParameterSummary> summarize(const DrawSet& draws, int threads) {
  std::vector<stats::ParameterSummary> out(draws.values.size());
  for_each_index(draws.dimension(), threads,
                 [&](Index j) { out[static_cast<std::size_t>(j)] = stats::summarize(draws.of(j), draws.coupled); });
  return out;
}

}  // namespace pollen::sink
