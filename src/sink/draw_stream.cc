#include "sink/draw_stream.h"

#include <algorithm>
#include <filesystem>
#include <limits>

#include "pollen/errors.h"
#include "sink/draws.h"
#include "sink/stan_csv.h"

namespace pollen::sink {

DrawStream::DrawStream(const std::string& path) {
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
}

Index DrawStream::thinned(Index most, const std::function<void(std::span<const double>)>& visit) const {
  const Index count = std::min(most, draws());
  Index next = 0;  // index of the next chosen draw
  for (Index chain = 0; chain < chains(); ++chain) {
    const auto wants = [&](Index row) {
      return row < length_ && next < count && chain * length_ + row == (next + 1) * draws() / count - 1;
    };
    const auto take = [&](const StanRow& row) {
      ++next;
      visit(row.values);
    };
    visit_stan_csv(files_[static_cast<std::size_t>(chain)], {wants, take});
  }
  return count;
}

}  // namespace pollen::sink
