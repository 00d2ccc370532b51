#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <string_view>

#include "pollen/errors.h"
#include "stan_csv.h"

namespace pollen::sink {

namespace {

constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlank);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlank) - first + 1);
}

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells;
  for (std::size_t from = 0;;) {
    const std::size_t comma = line.find(',', from);
    cells.push_back(trimmed(line.substr(from, comma == std::string_view::npos ? comma : comma - from)));
    if (comma == std::string_view::npos) return cells;
    from = comma + 1;
  }
}

std::optional<double> number(std::string_view cell) {
  if (!cell.empty() && cell.front() == '+') cell.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
  if (error != std::errc{} || end != cell.data() + cell.size() || cell.empty()) return std::nullopt;
  return value;
}

std::string quoted(std::string_view found) {
  std::string text(found.substr(0, 40));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 32) c = '?';
  return '"' + text + (found.size() > 40 ? "...\"" : "\"");
}

// Reads line by line; rows are named by their number in the file, from 1.
class Reader {
 public:
  explicit Reader(const std::string& path) : path_(path) {}

  void line(std::string_view text) {
    ++line_;
    text = trimmed(text);
    if (text.empty()) return;
    if (text.front() == '#') return comment(text.substr(1));
    if (width_ == 0) return header(text);
    row(text);
  }

  StanCsv take() {
    if (width_ == 0) fail("found no line of column names, accepted: a CmdStan CSV");
    if (csv_.names.empty()) fail("found no parameter, accepted: columns beside those that end in __");
    drop_warmup();
    return std::move(csv_);
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
    value = value.substr(0, value.find(' '));  // "1000 (Default)"
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
      if (name.empty() || number(name)) fail("found " + quoted(name) + " for a column's name, accepted: a CmdStan CSV");
      if (!seen.insert(name).second) fail("found the column " + quoted(name) + " twice, accepted: different names");
      if (name == "lp__") {
        kept_.push_back(kLp);
      } else if (name.ends_with("__")) {
        kept_.push_back(kSkip);
      } else {
        kept_.push_back(static_cast<std::ptrdiff_t>(csv_.names.size()));
        csv_.names.emplace_back(name);
      }
    }
    csv_.columns.resize(csv_.names.size());
  }

  void row(std::string_view text) {
    const auto cells = cells_of(text);
    if (cells.size() != width_)
      fail(fmt::format("found {} cells, accepted: {}, as the names have", cells.size(), width_));
    for (std::size_t j = 0; j < width_; ++j) {
      if (kept_[j] == kSkip) continue;
      const auto value = number(cells[j]);
      if (!value) fail(fmt::format("column {}: found {}, accepted: a number", j + 1, quoted(cells[j])));
      (kept_[j] == kLp ? csv_.lp : csv_.columns[static_cast<std::size_t>(kept_[j])]).push_back(*value);
    }
  }

  void drop_warmup() {
    if (!saved_ || !(warmup_ > 0)) return;
    const auto rows = static_cast<double>(csv_.rows());
    const auto drop = static_cast<std::ptrdiff_t>(std::min(rows, std::ceil(warmup_ / thin_)));
    for (auto& column : csv_.columns) column.erase(column.begin(), column.begin() + drop);
    if (!csv_.lp.empty()) csv_.lp.erase(csv_.lp.begin(), csv_.lp.begin() + drop);
  }

  std::string path_;
  StanCsv csv_;
  std::vector<std::ptrdiff_t> kept_;  // where each column of the file goes
  std::size_t width_ = 0;
  std::int64_t line_ = 0;
  double warmup_ = 0, thin_ = 1;
  bool saved_ = false;
};

}  // namespace

StanCsv parse_stan_csv(std::string_view text, const std::string& path) {
  Reader reader(path);
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    reader.line(text.substr(0, end));
    text = end == std::string_view::npos ? std::string_view{} : text.substr(end + 1);
  }
  return reader.take();
}

StanCsv read_stan_csv(const std::string& path) {
  try {
    return parse_stan_csv(read_text(path), path);
  } catch (const IoError& error) {
    throw ConfigError("", error.what());
  }
}

}  // namespace pollen::sink
