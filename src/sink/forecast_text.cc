#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "numbers.h"
#include "sink/row_forecast.h"
#include "sink/text.h"

namespace pollen::sink {

namespace {

// Returns the numbers of a row, besides those of single classes, under the names that both formats use.
std::vector<std::pair<const char*, double>> numbers_of(const RowForecast& block, Index row) {
  const auto r = at(row);
  if (block.classes > 0)
    return {{"entropy", block.total[r]}, {"aleatoric", block.aleatoric[r]}, {"epistemic", block.epistemic[r]}};
  return {{"mean", block.mean[r]},   {"sd", std::sqrt(block.total[r])}, {"lower", block.lower[r]},
          {"upper", block.upper[r]}, {"aleatoric", block.aleatoric[r]}, {"epistemic", block.epistemic[r]}};
}

}  // namespace

ForecastWriter::ForecastWriter(ForecastFacts facts, std::function<void(std::string_view)> write)
    : facts_(std::move(facts)), write_(std::move(write)) {
  std::string text = "row,mean,sd,lower,upper,aleatoric,epistemic";
  if (!facts_.classes.empty()) text = "row,predicted,entropy,aleatoric,epistemic";
  for (const std::string& name : facts_.classes)
    for (const char* what : {"", ".lower", ".upper"}) text += ',' + csv_field(fmt::format("p.{}{}", name, what));
  if (facts_.json) {
    Json head = {{"model", facts_.model}, {"draws", facts_.draws}, {"interval", facts_.interval}};
    if (!facts_.classes.empty()) head["classes"] = facts_.classes;
    text = compact(head);
    text.pop_back();
    text += ",\n\"rows\": [";
  }
  write_(facts_.json ? text : text + '\n');
}

void ForecastWriter::csv_row(const RowForecast& block, Index row) {
  text_ += fmt::format("{}", rows_);
  if (block.classes > 0) text_ += ',' + csv_field(facts_.classes[at(block.predicted(row))]);
  for (const auto& [name, value] : numbers_of(block, row)) append_number(text_ += ',', value);
  for (Index c = 0; c < block.classes; ++c)
    for (const auto* column : {&block.mean, &block.lower, &block.upper})
      append_number(text_ += ',', (*column)[at(row * block.classes + c)]);
  text_ += '\n';
}

std::string ForecastWriter::json_row(const RowForecast& block, Index row) const {
  Json json = {{"row", rows_}};
  if (block.classes > 0) {
    const auto of = [&](const std::vector<double>& all) {
      return json_numbers(std::span(all).subspan(at(row * block.classes), at(block.classes)));
    };
    json["predicted"] = facts_.classes[at(block.predicted(row))];
    json["probability"] = of(block.mean);
    json["lower"] = of(block.lower);
    json["upper"] = of(block.upper);
  }
  for (const auto& [name, value] : numbers_of(block, row)) json[name] = json_number(value);
  return compact(json);
}

void ForecastWriter::add(const RowForecast& block) {
  text_.clear();
  for (Index row = 0; row < block.rows; ++row) {
    ++rows_;
    if (facts_.json)
      text_ += (rows_ == 1 ? "\n  " : ",\n  ") + json_row(block, row);
    else
      csv_row(block, row);
  }
  write_(text_);
}

void ForecastWriter::finish(const Scores& scores) {
  if (!facts_.json) return;
  std::string text = "\n]";
  if (!scores.empty()) text += ",\n\"scores\": " + compact(scores_json(scores));
  write_(text + "}\n");
}

}  // namespace pollen::sink
