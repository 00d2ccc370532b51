#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "numbers.h"
#include "sink/limits.h"
#include "sink/report.h"
#include "sink/text.h"
#include "sink/verdict.h"

namespace pollen::sink {

namespace {

constexpr const char *kBold = "1", *kRed = "31", *kGreen = "32", *kCyan = "36";
constexpr std::size_t kEssBulk = 7, kEssTail = 8, kRhat = 9;  // numbers of columns

// Draws the means of stretches of the draws, chain after chain on one scale, so that chains that disagree stand out.
std::string trace(const DrawSet& draws, std::size_t parameter) {
  const Index cells = std::clamp<Index>(20 / std::max<Index>(1, draws.chains), 3, 20);
  std::vector<double> means;
  for (Index c = 0; c < draws.chains; ++c)
    for (Index k = 0; k < cells; ++k) {
      const Index first = std::min(k * draws.length / cells, draws.length - 1);
      const Index last = std::max(first + 1, (k + 1) * draws.length / cells);
      const auto part =
          std::span(draws.values[parameter])
              .subspan(static_cast<std::size_t>(c * draws.length + first), static_cast<std::size_t>(last - first));
      double sum = 0;
      for (const double x : part) sum += x;
      means.push_back(sum / static_cast<double>(part.size()));
    }
  double low = std::numeric_limits<double>::infinity(), high = -low;
  for (const double m : means)
    if (std::isfinite(m)) low = std::min(low, m), high = std::max(high, m);
  std::string text;
  const auto width = static_cast<std::size_t>(cells);
  for (std::size_t first = 0; first < means.size(); first += width) {
    if (first > 0) text += ' ';
    text += sparkline(std::span(means).subspan(first, width), low, high);
  }
  return text;
}

constexpr std::size_t kLabel = 32, kStripWidth = 25;  // widths in characters

std::vector<std::string> parameter_cells(const stats::ParameterSummary& p, const std::string& label) {
  const auto whole = [](double v) { return std::isnan(v) ? std::string("-") : fmt::format("{:.0f}", v); };
  return {shorten(label, kLabel), short_number(p.mean),
          short_number(p.mcse),   short_number(p.sd),
          short_number(p.q5),     short_number(p.q50),
          short_number(p.q95),    whole(p.ess_bulk),
          whole(p.ess_tail),      std::isnan(p.rhat) ? "-" : fmt::format("{:.3f}", p.rhat)};
}

// The exponential of a coefficient and of its interval, such as "1.30 (1.12 to 1.51)". Per dollar or per gram it is
// near 1, so it has two digits more than the interval is wide: "1.000052 (1.000041 to 1.000063)".
std::string ratio_text(const stats::ParameterSummary& p) {
  const double middle = std::exp(p.q50), low = std::exp(p.q5), high = std::exp(p.q95);
  const auto decimals = static_cast<int>(1 - std::floor(std::log10(std::max(high - low, 1e-9))));
  const auto shown = [&](double ratio) {  // a ratio that such decimals would show as 0 is written out
    const bool fits = decimals >= 2 && ratio < 1000 && ratio >= std::pow(10, -decimals);
    return fits ? fmt::format("{:.{}f}", ratio, decimals) : short_number(ratio);
  };
  return fmt::format("{} ({} to {})", shown(middle), shown(low), shown(high));
}

// The range of a strip. It always contains zero.
struct StripRange {
  double low = 0, high = 0;
  void add(const stats::ParameterSummary& p) {
    if (std::isfinite(p.q5)) low = std::min(low, p.q5);
    if (std::isfinite(p.q95)) high = std::max(high, p.q95);
  }
};

// The range that the strips of all parameters share. Nothing if the narrowest interval would be less than a character
// there, because the parameters have different units: then every strip has a range of its own.
std::optional<StripRange> shared_range(const std::vector<stats::ParameterSummary>& parameters) {
  StripRange range;
  double narrowest = std::numeric_limits<double>::infinity();
  for (const stats::ParameterSummary& p : parameters) {
    range.add(p);
    if (p.q95 > p.q5) narrowest = std::min(narrowest, p.q95 - p.q5);
  }
  if (range.high - range.low > static_cast<double>(kStripWidth) * narrowest) return std::nullopt;
  return range;
}

// What a table shows besides the numbers.
struct Shown {
  bool strips = true, checks = true, traces = false, colour = false, ratios = true;
};

TextTable table_of(const SummaryPage& page, const Shown& shown) {
  const StoredSummary& summary = page.summary;
  std::vector<std::string> header = {"parameter"};
  for (const SummaryNumber& number : kSummaryNumbers) header.push_back(shown_name(number, summary.states));
  const bool ratios = shown.ratios && !summary.ratios.name.empty();
  if (ratios) header.push_back(summary.ratios.name + " (q5 to q95)");
  if (shown.traces) header.emplace_back("trace");
  const std::optional<StripRange> shared = shared_range(summary.parameters);
  if (shown.strips) header.emplace_back(shared ? "q5 ─ q50 ● q95" : "q5 ─ q50 ● q95 (own scale)");
  if (shown.checks) header.emplace_back("check");
  const std::size_t columns = header.size();
  TextTable table(header);
  for (std::size_t j = kRhat + 1; j < columns; ++j) table.left(j);
  const auto paint = [&](std::size_t column, const char* code) {
    if (shown.colour) table.style(column, code);
  };
  for (std::size_t j = 0; j < columns; ++j) paint(j, kBold);
  const bool judged = shown.checks && summary.states == "draws";
  for (std::size_t j = 0; j < summary.parameters.size(); ++j) {
    const stats::ParameterSummary& p = summary.parameters[j];
    std::vector<std::string> cells = parameter_cells(p, summary.labels[j]);
    if (ratios) cells.push_back(summary.ratios.has(j) ? ratio_text(p) : "");
    if (shown.traces) cells.push_back(trace(*page.traced, j));
    StripRange range = shared.value_or(StripRange());
    range.add(p);
    if (shown.strips) cells.push_back(interval_strip(p, range.low, range.high, kStripWidth));
    const std::vector<std::string> faults = judged ? faults_of(p) : std::vector<std::string>();
    if (shown.checks)
      cells.push_back(!judged ? "-" : faults.empty() ? "ok" : fmt::format("{}", fmt::join(faults, "; ")));
    table.row(std::move(cells));
    if (shown.traces) paint(kRhat + (ratios ? 2 : 1), kCyan);
    if (!judged) continue;
    if (p.rhat > kMostRhat) paint(kRhat, kRed);
    if (p.ess_bulk < kLeastEss) paint(kEssBulk, kRed);
    if (p.ess_tail < kLeastEss) paint(kEssTail, kRed);
    paint(columns - 1, faults.empty() ? kGreen : kRed);
  }
  return table;
}

std::size_t width_of(const std::string& text) {
  std::size_t most = 0;
  for (const std::string_view line : split(text, '\n')) most = std::max(most, display_width(line));
  return most;
}

// Makes a table that fits the width. Strips are dropped first, then traces, then ratios.
std::string fitting_table(const SummaryPage& page, const SummaryStyle& style) {
  Shown shown{.traces = style.traces && page.traced != nullptr && page.traced->length > 0};
  const auto fits = [&] { return style.width == 0 || width_of(table_of(page, shown).text()) <= style.width; };
  if (!fits()) shown.strips = false;
  if (!fits()) shown.traces = false;
  if (!fits()) shown.ratios = false;
  shown.colour = style.colour;
  return table_of(page, shown).text();
}

}  // namespace

std::string summary_text(const SummaryPage& page, const SummaryStyle& style) {
  const StoredSummary& summary = page.summary;
  std::string text = page.folder + ": ";
  if (!summary.sampler.empty()) text += fmt::format("{}, {} model, ", summary.sampler, summary.model);
  text += fmt::format("{} chains × {} draws\n\n", summary.chains, summary.draws);
  if (style.colour) text = fmt::format("\x1b[{}m{}\x1b[0m\n\n", kBold, text.substr(0, text.size() - 2));
  if (!summary.units.empty()) text += fmt::format("  {}\n", summary.units);
  text += fitting_table(page, style);
  if (const std::string line = transitions_line(summary.transitions); !line.empty())
    text += "\n  trajectories: " + line + '\n';
  if (summary.cost) text += (summary.transitions.chains.empty() ? "\n  " : "  ") + in_words(*summary.cost) + '\n';
  return text + '\n' + verdict_text(summary.verdict.value_or(Verdict()), summary.warnings);
}

std::string summary_json(const SummaryPage& page) {
  const StoredSummary& summary = page.summary;
  Json parameters = Json::array();
  for (std::size_t j = 0; j < summary.parameters.size(); ++j) {
    const stats::ParameterSummary& p = summary.parameters[j];
    Json json = parameter_json(summary.names[j], summary.labels[j], p, summary.states, summary.ratios.has(j));
    json["check"] = summary.states == "draws" ? Json(faults_of(p)) : Json(nullptr);
    parameters.push_back(std::move(json));
  }
  Json json = {{"folder", page.folder}};
  if (!summary.sampler.empty()) json.update({{"sampler", summary.sampler}, {"model", summary.model}});
  if (!summary.units.empty()) json["units"] = summary.units;
  if (!summary.ratios.name.empty()) json["ratio"] = summary.ratios.name;
  json.update({{"states", summary.states}, {"chains", summary.chains}, {"draws_per_chain", summary.draws}});
  json["parameters"] = std::move(parameters);
  if (summary.cost) json["per_effective_draw"] = draw_cost_json(*summary.cost);
  if (summary.verdict) json["verdict"] = Json::parse(to_json(*summary.verdict));
  json["warnings"] = summary.warnings;
  return json.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string interval_strip(const stats::ParameterSummary& p, double low, double high, std::size_t width) {
  std::vector<const char*> cells(width, " ");
  const auto cell = [&](double value) {
    const double share = high > low ? (value - low) / (high - low) : 0;
    return static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * static_cast<double>(width - 1)));
  };
  cells[cell(0)] = "│";
  if (std::isfinite(p.q5) && std::isfinite(p.q50) && std::isfinite(p.q95)) {
    for (std::size_t i = cell(p.q5); i <= cell(p.q95); ++i) cells[i] = i == cell(0) ? "┼" : "─";
    cells[cell(p.q50)] = "●";
  }
  std::string strip;
  for (const char* c : cells) strip += c;
  return strip;
}

std::string parameter_table(const std::vector<stats::ParameterSummary>& parameters,
                            const std::vector<std::string>& labels, std::size_t most, const std::string& states,
                            const Ratios& ratios) {
  constexpr std::size_t kWorst = 5;
  const auto rows = shown_parameters(parameters, most, kWorst, -INFINITY);
  SummaryPage page;
  page.summary.states = states;
  page.summary.ratios.name = ratios.name;
  for (const std::size_t j : rows) {
    page.summary.parameters.push_back(parameters[j]);
    page.summary.labels.push_back(labels[j]);
    page.summary.ratios.of.push_back(ratios.has(j));
  }
  std::string text = table_of(page, {.checks = false}).text();
  if (rows.size() < parameters.size())
    text += fmt::format("  … and {} more; the five with the worst R-hat are among those shown\n",
                        parameters.size() - rows.size());
  return text;
}

}  // namespace pollen::sink
