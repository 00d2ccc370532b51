#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "numbers.h"
#include "sink/row_forecast.h"
#include "sink/text.h"

namespace pollen::sink {

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

void ForecastWriter::class_row(const RowForecast& block, Index row) {
  text_ += fmt::format("{},{}", rows_, csv_field(facts_.classes[at(block.predicted(row))]));
  for (const auto* column : {&block.total, &block.aleatoric, &block.epistemic})
    append_number(text_ += ',', (*column)[at(row)]);
  for (Index c = 0; c < block.classes; ++c)
    for (const auto* column : {&block.mean, &block.lower, &block.upper})
      append_number(text_ += ',', (*column)[at(row * block.classes + c)]);
}

void ForecastWriter::number_row(const RowForecast& block, Index row) {
  text_ += fmt::format("{}", rows_);
  for (const double value : {block.mean[at(row)], std::sqrt(block.total[at(row)]), block.lower[at(row)],
                             block.upper[at(row)], block.aleatoric[at(row)], block.epistemic[at(row)]})
    append_number(text_ += ',', value);
}

std::string ForecastWriter::json_row(const RowForecast& block, Index row) const {
  Json json = {{"row", rows_}};
  const auto add = [&](const char* name, double value) { json[name] = json_number(value); };
  if (block.classes > 0) {
    const auto of = [&](const std::vector<double>& all) {
      return json_numbers(std::span(all).subspan(at(row * block.classes), at(block.classes)));
    };
    json["predicted"] = facts_.classes[at(block.predicted(row))];
    json["probability"] = of(block.mean);
    json["lower"] = of(block.lower);
    json["upper"] = of(block.upper);
    add("entropy", block.total[at(row)]);
  } else {
    add("mean", block.mean[at(row)]);
    add("sd", std::sqrt(block.total[at(row)]));
    add("lower", block.lower[at(row)]);
    add("upper", block.upper[at(row)]);
  }
  add("aleatoric", block.aleatoric[at(row)]);
  add("epistemic", block.epistemic[at(row)]);
  return compact(json);
}

void ForecastWriter::add(const RowForecast& block) {
  text_.clear();
  for (Index row = 0; row < block.rows; ++row) {
    ++rows_;
    if (facts_.json) {
      text_ += (rows_ == 1 ? "\n  " : ",\n  ") + json_row(block, row);
      continue;
    }
    block.classes > 0 ? class_row(block, row) : number_row(block, row);
    text_ += '\n';
  }
  write_(text_);
}

void ForecastWriter::finish(const Scores& scores) {
  if (!facts_.json) return;
  std::string text = "\n]";
  if (!scores.empty()) {
    Json json = Json::object();
    for (const Score& score : scores) json[score.name] = json_number(score.value);
    text += ",\n\"scores\": " + compact(json);
  }
  write_(text + "}\n");
}

}  // namespace pollen::sink
