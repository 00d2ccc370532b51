// Fuzzes what a report reads besides draws: summary.json, metrics.csv or clients.json, chosen by the first byte. What
// is accepted has the shape that the page relies on.
#include "fuzz.h"
#include "pollen/errors.h"
#include "report/parts.h"

namespace pollen::fuzz {
namespace {

using report::Json;

void check_summary(const std::string& text) {
  const Json summary = report::parse_summary(text, "summary.json");
  Json run = Json::object();
  report::add_stored_parts(run, summary);
  HOLDS(run["clients"].is_array() && run["clients"].size() <= 200);
  HOLDS(run["scores"].is_array() && run["reliability"].is_array() && run["confidence"].is_array());
  HOLDS(report::facts_of(summary, nullptr)["states"].is_string());
}

void check_metrics(const std::string& text) {
  const Json table = report::metrics_table(text, "metrics.csv", 50);
  HOLDS(table["values"].size() == table["columns"].size());
  for (const Json& column : table["values"]) HOLDS(column.size() <= 50 && column.size() == table["values"][0].size());
}

void check_clients(const std::string& text) {
  const Json held = report::parse_clients(text, "clients.json");
  const Json participation = report::participation_table(held, "clients.json");
  if (participation.is_object())
    for (const Json& row : participation["messages"]) HOLDS(row.size() == participation["rounds"].size());
  const Json labels = report::label_table(held, "clients.json");
  if (labels.is_object()) HOLDS(labels["counts"].size() == labels["groups"].size());
}

}  // namespace
}  // namespace pollen::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pollen::fuzz;
  Input input(data, size);
  const unsigned kind = input.byte() % 3;
  const std::string text = input.text();
  try {
    if (kind == 0) check_summary(text);
    if (kind == 1) check_metrics(text);
    if (kind == 2) check_clients(text);
  } catch (const pollen::ConfigError& error) {
    HOLDS(!error.problems().empty());
  }
  return 0;
}
