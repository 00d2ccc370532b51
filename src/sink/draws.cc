#include "sink/draws.h"

#include <fmt/format.h>
#include <string.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "pollen/errors.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/stan_csv.h"
#include "sink/stored_summary.h"

namespace pollen::sink {

namespace fs = std::filesystem;

namespace {

// Orders names with numbers, so that "draws-10" comes after "draws-9".
bool numbers_in_order(const std::string& a, const std::string& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; }

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

DrawSet some_draws(const SpoolReader& spool, Index most) {
  DrawSet set;
  set.chains = spool.shape().chains;
  const Index most_per_chain = std::clamp<Index>(20'000 / set.chains, 500, 5000);
  const Index all = static_cast<Index>(spool.draws()), d = spool.shape().dimension;
  set.length = std::clamp<Index>(most / std::max<Index>(1, d * set.chains), std::min<Index>(all, 10),
                                 std::min(all, most_per_chain));
  set.values.resize(static_cast<std::size_t>(d));
  std::vector<double> theta(static_cast<std::size_t>(d));
  for (Index c = 0; c < set.chains; ++c)
    for (Index i = 0; i < set.length; ++i) {
      spool.draw(i * all / set.length, c, theta);
      for (std::size_t j = 0; j < theta.size(); ++j) set.values[j].push_back(theta[j]);
    }
  return set;
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

ChosenDraws::ChosenDraws(const std::string& path, Index most, Index held_numbers) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    files_ = draw_files(path);
  else if (std::filesystem::exists(path, error))
    files_ = {path};
  length_ = std::numeric_limits<Index>::max();
  std::vector<std::string> names;
  for (const std::string& file : files_) {
    const StanCsvShape shape = visit_stan_csv(file, {[](Index) { return false; }, {}});
    if (!names.empty() && shape.names != names)
      throw ConfigError(file, "found other columns than in " + files_.front() + ", accepted: chains of one model");
    names = shape.names;
    length_ = std::min(length_, shape.rows);
  }
  dimension_ = std::ssize(names);
  if (files_.empty() || length_ == 0)
    throw ConfigError(path, "found no draws, accepted: a folder with draws-1.csv, ... or a CmdStan CSV");
  count_ = std::min(most, std::ssize(files_) * length_);
  if (count_ > held_numbers / std::max<Index>(1, dimension_)) return;
  Panel states(dimension_, count_);
  read([&](ConstPanelView some, Index first) {
    for (Index c = 0; c < some.columns; ++c) std::ranges::copy(some.column(c), states.column(first + c).begin());
  });
  held_ = std::move(states);
}

void ChosenDraws::visit(const Use& use) const { held_ ? use(held_->view(), 0) : read(use); }

void ChosenDraws::read(const Use& use) const {
  const Index all = std::ssize(files_) * length_;
  Panel some(dimension_, kAtOnce);
  Index filled = 0, next = 0;  // draws in `some`, and the number of the next chosen draw
  const auto hand_on = [&] {
    if (filled > 0) use({some.view().data, some.rows(), filled, some.stride()}, next - filled);
    filled = 0;
  };
  for (Index chain = 0; chain < std::ssize(files_); ++chain) {
    const auto wants = [&](Index row) {
      return row < length_ && next < count_ && chain * length_ + row == (next + 1) * all / count_ - 1;
    };
    const auto take = [&](const StanRow& row) {
      std::ranges::copy(row.values, some.column(filled++).begin());
      ++next;
      if (filled == kAtOnce) hand_on();
    };
    visit_stan_csv(files_[static_cast<std::size_t>(chain)], {wants, take});
  }
  hand_on();
}

}  // namespace pollen::sink
