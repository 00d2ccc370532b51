// The options of all commands: the variables that they are read into, and the declaration of each command's options to
// CLI11. It is used by one thread, before a command runs.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "commands.h"

namespace pollen::app {

struct Arguments {
  RunRequest run;
  std::string folder, reference, config;
  ListOptions list;
  std::vector<std::string> set;
  PlanOptions plan;
  PredictOptions predict;
  SummaryOptions summary;
  ConvertOptions convert;
  ReportOptions report;
  KeysOptions keys;
  ServeOptions serve;
  JoinOptions join;
  LedgerOptions ledger;
  std::string dashboard, dashboard_address;
  bool version = false;
};

// Adds every command with its options and examples. Parsing throws ConfigError for a number out of its range.
void add_commands(CLI::App& app, Arguments& a);

DashboardOptions dashboard_of(const Arguments& a);  // throws ConfigError if --dashboard or its address is wrong

}  // namespace pollen::app
