// A client's own draws as a file, and as intervals.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <filesystem>

#include "base/file.h"
#include "numbers.h"
#include "pollen/errors.h"
#include "sink/personal.h"
#include "sink/text.h"

namespace pollen::sink {

std::string client_file(Index client, const std::string& name) {
  std::string safe = name.substr(0, 100);
  for (char& c : safe)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '.' && c != '_' && c != '-') c = '_';
  return fmt::format("{}-{}.csv", client + 1, safe);
}

std::string draws_csv(const std::vector<std::string>& labels, ConstPanelView z, Index chains) {
  const Index draws = z.columns / chains;
  std::string text = "chain,draw";
  for (const std::string& label : labels) text += ',' + csv_field(label);
  text += '\n';
  for (Index n = 0; n < z.columns; ++n) {
    text += fmt::format("{},{}", n / draws + 1, n % draws + 1);
    for (const double number : z.column(n)) text += fmt::format(",{}", number);
    text += '\n';
  }
  return text;
}

std::string predictive_file(const std::string& client_file) {
  return client_file.substr(0, client_file.size() - std::string_view(".csv").size()) + "-predictive.csv";
}

StoredDraws read_draws_csv(const std::string& path, Index width) {
  const std::string text = read_text(path);
  std::vector<double> numbers;
  StoredDraws out;
  std::size_t row = 1;
  for (std::size_t at = text.find('\n') + 1, end = 0; at < text.size() && at > 0; at = end + 1, ++row) {
    end = std::min(text.find('\n', at), text.size());
    std::vector<double> cells;
    for (const char* next = text.data() + at; next < text.data() + end; ++next) {
      double number = 0;
      const auto [stop, error] = std::from_chars(next, text.data() + end, number);
      if (error != std::errc() || !std::isfinite(number)) break;
      cells.push_back(number);
      next = stop;
    }
    constexpr double kMostChains = 1e6;
    if (std::ssize(cells) != width + 2 || !(cells[0] >= 1 && cells[0] <= kMostChains))
      throw ConfigError(fmt::format("{}: row {}", path, row),
                        fmt::format("found something else than a chain, a draw and {} finite numbers; accepted: a file "
                                    "that pollen join has written",
                                    width));
    out.chain.push_back(static_cast<Index>(cells[0]) - 1);
    numbers.insert(numbers.end(), cells.begin() + 2, cells.end());
  }
  out.draws = copy_of(ConstPanelView{numbers.data(), width, std::ssize(out.chain), width});
  return out;
}

StoredClient find_client_file(const RunFolder& folder, const std::string& name) {
  const std::string end = client_file(0, name).substr(1);  // "-NAME.csv", behind a number
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator(folder.clients(), ignored)) {
    const std::string file = entry.path().filename().string();
    Index number = 0;
    const auto [stop, error] = std::from_chars(file.data(), file.data() + file.size(), number);
    if (error == std::errc() && number >= 1 && std::string_view(stop, file.data() + file.size()) == end)
      return {entry.path().string(), number - 1};
  }
  return {};
}

std::vector<ClientEffects::Interval> intervals_of(const Panel& z) {
  std::vector<ClientEffects::Interval> out;
  std::vector<double> values(at(z.columns()));
  for (std::size_t j = 0; j < at(z.rows()); ++j) {
    double sum = 0;
    for (Index n = 0; n < z.columns(); ++n) sum += values[at(n)] = z.column(n)[j];
    out.push_back(
        {sum / static_cast<double>(z.columns()), stats::quantile(values, 0.05), stats::quantile(values, 0.95)});
  }
  return out;
}

}  // namespace pollen::sink
