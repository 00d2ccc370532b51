// Writes forecasts as text, block after block: csv with one line per row, or one JSON object. Not thread-safe.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "sink/row_forecast.h"

namespace pollen::sink {

struct ForecastFacts {
  std::string model;
  std::vector<std::string> classes;  // names of the classes; empty if a number is predicted
  double interval = 0.9;
  Index draws = 0;
  bool json = false;
};

class ForecastWriter {
 public:
  ForecastWriter(ForecastFacts facts, std::function<void(std::string_view)> write);
  void add(const RowForecast& block);
  void finish(const Scores& scores);  // JSON has the scores at its end

 private:
  void class_row(const RowForecast& block, Index row);
  void number_row(const RowForecast& block, Index row);
  std::string json_row(const RowForecast& block, Index row) const;

  ForecastFacts facts_;
  std::function<void(std::string_view)> write_;
  Index rows_ = 0;
  std::string text_;  // text of the current block
};

}  // namespace pollen::sink
