#include "sink/stan_csv.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string_view>

#include "data/phrases.h"
#include "pollen/errors.h"
#include "pollen/version.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

using data::in_quotes;
using data::trimmed;

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = split(line, ',');
  for (std::string_view& cell : cells) cell = trimmed(cell);
  return cells;
}

std::optional<double> number(std::string_view cell) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  return value;
}

// Reads a file line by line. Messages name rows by their number in the file, counted from 1.
class Reader {
 public:
  Reader(const std::string& path, const StanRowVisitor& visitor) : path_(path), visitor_(visitor) {}

  void line(std::string_view text) {
    ++line_;
    text = trimmed(text);
    if (text.empty()) return;
    if (text.front() == '#') return comment(text.substr(1));
    if (width_ == 0) return header(text);
    row(text);
  }

  StanCsvShape take() {
    if (width_ == 0) fail("found no line of column names, accepted: a CmdStan CSV");
    if (shape_.names.empty()) fail("found no parameter, accepted: columns beside those that end in __");
    shape_.rows = std::max<Index>(0, next_);
    return std::move(shape_);
  }

 private:
  enum : std::ptrdiff_t { kSkip = -2, kLp = -1 };

  [[noreturn]] void fail(const std::string& what) const {
    throw ConfigError(line_ == 0 ? path_ : fmt::format("{}: row {}", path_, line_), what);
  }

  void comment(std::string_view text) {
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || width_ != 0) return;
    const std::string_view key = trimmed(text.substr(0, equals));
    std::string_view value = trimmed(text.substr(equals + 1));
    value = value.substr(0, value.find(' '));  // drops the remark of "1000 (Default)"
    const double amount = value == "true" ? 1 : number(value).value_or(0);
    if (key == "num_warmup") warmup_ = amount;
    if (key == "save_warmup") saved_ = amount != 0;
    if (key == "thin") thin_ = std::max(1.0, amount);
  }

  void header(std::string_view text) {
    const auto names = cells_of(text);
    width_ = names.size();
    std::set<std::string_view> seen;
    for (const std::string_view name : names) {
      if (name.empty() || number(name))
        fail("found " + in_quotes(name) + " for a column's name, accepted: a CmdStan CSV");
      if (!seen.insert(name).second) fail("found the column " + in_quotes(name) + " twice, accepted: different names");
      if (name == "lp__") {
        kept_.push_back(kLp);
        shape_.has_lp = true;
      } else if (name.ends_with("__")) {
        kept_.push_back(kSkip);
      } else {
        kept_.push_back(static_cast<std::ptrdiff_t>(shape_.names.size()));
        shape_.names.emplace_back(name);
      }
    }
    values_.resize(shape_.names.size());
    constexpr double kLargest = 1e15;
    if (saved_ && warmup_ > 0) next_ = -static_cast<Index>(std::min(kLargest, std::ceil(warmup_ / thin_)));
  }

  void row(std::string_view text) {
    const Index number_of_row = next_++;
    if (number_of_row < 0 || !visitor_.wants(number_of_row)) return;
    const auto cells = cells_of(text);
    if (cells.size() != width_)
      fail(fmt::format("found {} cells, accepted: {}, as the names have", cells.size(), width_));
    double lp = std::numeric_limits<double>::quiet_NaN();
    for (std::size_t j = 0; j < width_; ++j) {
      if (kept_[j] == kSkip) continue;
      const auto value = number(cells[j]);
      if (!value) fail(fmt::format("column {}: found {}, accepted: a number", j + 1, in_quotes(cells[j])));
      (kept_[j] == kLp ? lp : values_[static_cast<std::size_t>(kept_[j])]) = *value;
    }
    visitor_.take({number_of_row, lp, values_});
  }

  std::string path_;
  const StanRowVisitor& visitor_;
  StanCsvShape shape_;
  std::vector<double> values_;        // values of one row
  std::vector<std::ptrdiff_t> kept_;  // where each column of the file goes
  std::size_t width_ = 0;
  Index next_ = 0;  // number of the next row; negative in the warm-up
  std::int64_t line_ = 0;
  double warmup_ = 0, thin_ = 1;
  bool saved_ = false;
};

// Writes the lines that rstan 2.21 expects after the column names.
std::string adaptation(const RunFacts& facts) {
  std::string text = "# Adaptation terminated\n# Step size = ";
  append_number(text, facts.step);
  text += "\n# Diagonal elements of inverse mass matrix:\n# ";
  for (Index j = 0; j < facts.dimension(); ++j) text += j == 0 ? "1" : ", 1";
  return text + '\n';
}

// Names the algorithm in CmdStan's words where it is one of CmdStan's, and by its own name otherwise. rstan shows
// `sampler_t` for algorithms that it does not know.
std::string algorithm_lines(const RunFacts& facts) {
  if (facts.sampler == "nuts")
    return fmt::format("#   algorithm = hmc\n#     engine = nuts\n#       max_depth = {}\n#     metric = diag_e\n",
                       facts.transitions.max_depth);
  if (facts.sampler == "hmc") return "#   algorithm = hmc\n#     engine = static\n#     metric = diag_e\n";
  return fmt::format("#   algorithm = {0}\n#     sampler_t = {0}\n", facts.sampler);
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

StanCsv parse_stan_csv(std::string_view text, const std::string& path) {
  StanCsv csv;
  const auto take = [&](const StanRow& row) {
    csv.columns.resize(row.values.size());
    for (std::size_t j = 0; j < row.values.size(); ++j) csv.columns[j].push_back(row.values[j]);
    csv.lp.push_back(row.lp);
  };
  const StanRowVisitor visitor{[](Index) { return true; }, take};
  Reader reader(path, visitor);
  if (text.ends_with('\n')) text.remove_suffix(1);
  if (!text.empty())
    for (const std::string_view line : split(text, '\n')) reader.line(line);
  StanCsvShape shape = reader.take();
  csv.names = std::move(shape.names);
  csv.columns.resize(csv.names.size());
  if (!shape.has_lp) csv.lp.clear();
  return csv;
}

StanCsvShape visit_stan_csv(const std::string& path, const StanRowVisitor& visitor) {
  std::ifstream file(path);
  if (!file) throw ConfigError(path, "cannot be read, accepted: a CmdStan CSV");
  Reader reader(path, visitor);
  for (std::string line; std::getline(file, line);) reader.line(line);
  if (file.bad()) throw IoError(path + ": cannot be read to its end");
  return reader.take();
}

StanCsv read_stan_csv(const std::string& path) {
  try {
    return parse_stan_csv(read_text(path), path);
  } catch (const IoError& error) {
    throw ConfigError("", error.what());
  }
}

std::string stan_csv_name(Index chain) { return fmt::format("draws-{}.csv", chain + 1); }

std::string stan_csv_header(const RunFacts& facts, Index chain, std::int64_t draws) {
  std::string text = fmt::format(
      "# model = {}_model\n# method = sample\n#   num_samples = {}\n#   num_warmup = {}\n#   save_warmup = 0\n"
      "#   thin = {}\n{}#     stepsize = ",
      facts.model, draws * facts.thin, facts.burn_in, facts.thin, algorithm_lines(facts));
  append_number(text, facts.step);
  text += fmt::format("\n# id = {}\n# seed = {}\n# pollen_version = {}\n# sampler = {}\n", chain + 1, facts.seed,
                      version(), facts.sampler);
  text += "lp__,accept_stat__,stepsize__,treedepth__,n_leapfrog__,divergent__,energy__";
  for (Index j = 0; j < facts.dimension(); ++j) text += fmt::format(",theta.{}", j + 1);
  return text + '\n' + adaptation(facts);
}

// Writes chains first .. last-1 in one pass over the spool.
static void write_group(const std::string& folder, const RunFacts& facts, const SpoolReader& spool, Index first,
                        Index last, const NumbersDone& done) {
  std::vector<std::unique_ptr<ReplacingFile>> files;
  for (Index c = first; c < last; ++c) {
    files.push_back(std::make_unique<ReplacingFile>(folder + "/" + stan_csv_name(c)));
    files.back()->write(stan_csv_header(facts, c, spool.draws()));
  }
  const std::size_t width = spool.shape().width(), values = spool.shape().values();
  std::string line;
  spool.each([&](std::int64_t, std::span<const double> record) {
    for (std::size_t f = 0; f < files.size(); ++f) {
      line.clear();
      append_row(line, record.subspan((static_cast<std::size_t>(first) + f) * width, values), facts);
      files[f]->write(line);
    }
    if (done) done(static_cast<std::int64_t>(files.size() * values));
  });
  for (auto& file : files) {
    file->write(std::string_view(kFooter));
    file->commit();
  }
}

void write_stan_csv(const std::string& folder, const RunFacts& facts, const SpoolReader& spool,
                    const NumbersDone& done) {
  constexpr Index kOpenAtOnce = 64;
  for (Index first = 0; first < facts.chains; first += kOpenAtOnce)
    write_group(folder, facts, spool, first, std::min(first + kOpenAtOnce, facts.chains), done);
}

}  // namespace pollen::sink
