// Gathers ReportData of web/src/data.ts from the folders of runs.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "base/file.h"
#include "parameter_plots.h"
#include "parts.h"
#include "pollen/errors.h"
#include "pollen/report.h"
#include "sink/comparison.h"
#include "sink/draws.h"
#include "sink/folder.h"
#include "sink/parallel.h"
#include "sink/stored_summary.h"
#include "sink/summary.h"
#include "sink/text.h"
#include "sink/verdict.h"

namespace pollen::report {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostRows = 2000;         // rows in the table, for all runs together
constexpr std::uintmax_t kMostText = 1U << 20;  // bytes of a configuration
constexpr std::size_t kMostRuns = 8;            // the page has this many colours

std::string text_or_none(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return "";
  return read_text(path);
}

Json parsed_or_null(const std::string& path, Json (*parse)(std::string_view text, const std::string& path)) {
  std::error_code error;
  return fs::exists(path, error) ? parse(read_text(path), path) : Json(nullptr);
}

// Returns the source that [data] names in a run's configuration, reduced to the file's name if it is a path.
std::string data_source(std::string_view config) {
  constexpr std::string_view kSection = "\n[data]\n", kKey = "\nsource = \"";
  const std::size_t section = config.find(kSection);
  if (section == std::string_view::npos) return "";
  config.remove_prefix(section + kSection.size() - 1);
  config = config.substr(0, config.find("\n["));
  const std::size_t key = config.find(kKey);
  if (key == std::string_view::npos) return "";
  config.remove_prefix(key + kKey.size());
  config = config.substr(0, config.find('"'));
  return fs::path(config).filename().string();
}

// One run and what has been read of it.
class Run {
 public:
  Run(std::string folder, std::size_t runs, int threads)
      : folder_(std::move(folder)), files_(folder_), runs_(runs), threads_(threads) {
    summary_ = parsed_or_null(files_.summary(), parse_summary);
    read_draws();
  }

  Json json() {
    Json run = {{"name", folder_}, {"status", status()}};
    run["verdict"] =
        verdict_json(sink::verdict_of(stored_, parameters_, labels_, draws_.length > 0 ? &draws_ : nullptr));
    run["facts"] = facts_of(
        summary_, draws_.chains > 0 ? Json({{"chains", draws_.chains}, {"draws", draws_.length}}) : Json(nullptr));
    add_stored_parts(run, summary_);
    const std::vector<std::size_t> rows = shown(std::max<std::size_t>(50, kMostRows / runs_));
    run["parameters"] = table(rows);
    run["parametersInAll"] = parameters_.size();
    run["plots"] = draws_.length > 0 ? plots(rows) : Json(nullptr);
    add_files(run);
    run["notes"] = notes(rows.size());
    return run;
  }

  void forget_draws() { draws_ = {}; }  // they may be large; the table stays

  // Says how far this run's posterior is from the reference's; of networks, how the scores compare.
  std::string agreement_with(const Run& reference) const {
    const auto weights = [](const Run& run) { return run.stored_ && run.stored_->states == "weights"; };
    if (!weights(*this) && !weights(reference))
      return sink::agreement(sink::matched(labels_, parameters_, reference.labels_, reference.parameters_));
    std::string text =
        "a network's weights are not compared, because its units can change places; scores here and in the reference";
    const Json &ours = member(summary_, "metrics"), &theirs = member(reference.summary_, "metrics");
    if (!ours.is_object()) return text;
    for (const auto& [name, value] : ours.items())
      if (value.is_number() && member(theirs, name.c_str()).is_number())
        text += fmt::format("{} {} {} and {}", text.ends_with("reference") ? ":" : ",", name,
                            sink::short_number(value.get<double>()), sink::short_number(theirs[name].get<double>()));
    return text;
  }

 private:
  void read_draws() {
    if (!fs::is_directory(folder_))
      throw ConfigError(folder_, "found no such folder, accepted: one of a run, or with CmdStan's CSVs");
    if (!sink::draw_files(folder_).empty()) draws_ = sink::read_draws(folder_);
    stored_ = sink::read_stored_summary(files_.summary());
    if (!summary_.is_null() && !stored_)
      throw ConfigError(files_.summary(),
                        "found parameters that lack a number, accepted: summary.json as a run writes it");
    if (!stored_ && draws_.length == 0)
      throw ConfigError(folder_, draws_.chains > 0
                                     ? "found no draws in its files, accepted: at least one per chain"
                                     : "found no draws and no summary.json, accepted: the folder of a run "
                                       "that has ended or was stopped, or one with CmdStan's CSVs");
    const bool same =
        stored_ && (draws_.chains == 0 || (stored_->parameters.size() == draws_.names.size() &&
                                           stored_->chains == draws_.chains && stored_->draws == draws_.length));
    parameters_ = same ? stored_->parameters : sink::summarize(draws_, threads_);
    names_ = same ? stored_->names : draws_.names;
    labels_ = same ? stored_->labels : draws_.labels;
  }

  std::string status() const { return summary_.is_object() ? summary_.value("status", "complete") : "complete"; }

  // Returns which parameters are shown: the first half, then those with the worst R-hat.
  std::vector<std::size_t> shown(std::size_t most) const {
    return sink::shown_parameters(parameters_, most, most - most / 2, INFINITY);
  }

  Json table(const std::vector<std::size_t>& rows) const {
    Json out = Json::array();
    for (const std::size_t j : rows)
      out.push_back(parameter_row(names_[j], labels_[j], parameters_[j], stored_ && stored_->ratios.has(j)));
    return out;
  }

  // Makes the plots of parameters that the table shows.
  Json plots(const std::vector<std::size_t>& rows) const {
    const PlotBudget whole, budget{whole.trace / runs_, whole.curves / runs_};
    std::vector<std::size_t> which, places;
    for (const std::size_t j : shown(room_for_plots(draws_.chains, budget))) {
      const auto found = std::lower_bound(rows.begin(), rows.end(), j);
      if (found == rows.end() || *found != j) continue;
      which.push_back(j);
      places.push_back(static_cast<std::size_t>(found - rows.begin()));
    }
    return parameter_plots(draws_, which, places, budget, threads_);
  }

  void add_files(Json& run) const {
    const std::string metrics = text_or_none(files_.metrics());
    run["metrics"] = metrics.empty() ? Json(nullptr) : metrics_table(metrics, files_.metrics());
    const Json held = parsed_or_null(files_.client_tables(), parse_clients);
    run["participation"] = participation_table(held, files_.client_tables());
    run["heterogeneity"] = label_table(held, files_.client_tables());
    std::error_code error;
    const bool fits = fs::file_size(files_.config(), error) <= kMostText && !error;
    const std::string config = fits ? text_or_none(files_.config()) : "";
    run["config"] = config;
    run["facts"]["source"] = data_source(config);
  }

  std::vector<std::string> notes(std::size_t rows) const {
    std::vector<std::string> lines = texts_at(summary_, "notes");
    for (const std::string& line : draws_.notes) lines.push_back(line);
    if (rows < parameters_.size())
      lines.push_back(fmt::format("the table has {} of {} parameters: the first, and those with the largest R-hat",
                                  sink::grouped(static_cast<std::int64_t>(rows)),
                                  sink::grouped(static_cast<std::int64_t>(parameters_.size()))));
    if (draws_.length == 0) lines.emplace_back("the folder has no draws (output.draws), so nothing is plotted of them");
    return lines;
  }

  std::string folder_;
  sink::RunFolder files_;
  std::size_t runs_;
  int threads_;
  Json summary_;
  std::optional<sink::StoredSummary> stored_;
  sink::DrawSet draws_;
  std::vector<stats::ParameterSummary> parameters_;
  std::vector<std::string> names_, labels_;
};

void check_folders(const std::vector<std::string>& folders) {
  if (folders.size() > kMostRuns)
    throw ConfigError("report", fmt::format("found {} folders, accepted: at most {}", folders.size(), kMostRuns));
  for (const std::string& folder : folders)
    if (std::ranges::count(folders, folder) > 1) throw ConfigError(folder, "found twice, accepted: different folders");
}

// Escapes every "<" as "\u003c". It only occurs inside strings, so nothing in the data can end the element that holds
// them.
std::string escaped(const std::string& json) {
  std::string text;
  text.reserve(json.size() + 64);
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

constexpr std::string_view kPlace = "@POLLEN_REPORT_DATA@";

}  // namespace

std::string report_data(const std::vector<std::string>& folders, int threads) {
  check_folders(folders);
  Json runs = Json::array();
  std::vector<Run> read;
  for (const std::string& folder : folders) {
    Run& run = read.emplace_back(folder, folders.size(), sink::sensible_threads(threads));
    runs.push_back(run.json());
    run.forget_draws();
  }
  for (std::size_t i = 0; i < read.size(); ++i)
    runs[i]["agreement"] = i + 1 == read.size() ? "" : read[i].agreement_with(read.back());
  const Json data = {{"format", 1}, {"made", versions()}, {"reference", folders.size() - 1}, {"runs", std::move(runs)}};
  return escaped(data.dump(-1, ' ', false, Json::error_handler_t::replace));
}

std::string fill_page(std::string_view page, std::string_view data) {
  const std::size_t at = page.find(kPlace);
  if (at == std::string_view::npos) throw IoError("the page of this build has no place for data");
  return fmt::format("{}{}{}", page.substr(0, at), data, page.substr(at + kPlace.size()));
}

}  // namespace pollen::report
