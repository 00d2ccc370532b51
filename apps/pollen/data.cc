#include "pollen/data.h"

#include <fmt/format.h>

#include "commands.h"
#include "run/experiment.h"
#include "run/problem.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

std::string gaussian_clients(const Experiment& experiment) {
  sink::TextTable table({"client", "rows", "dimension", "given by"});
  table.left(3);
  const auto& clients = experiment.config().clients;
  for (std::size_t i = 0; i < clients.size(); ++i)
    table.row({fmt::format("{}", i + 1), clients[i].data.empty() ? "1" : fmt::format("{}", clients[i].data.size()),
               fmt::format("{}", experiment.dimension()), clients[i].data.empty() ? "mean and precision" : "data"});
  return table.text("");
}

}  // namespace

int data_command(const std::string& config, const std::vector<std::string>& set) {
  const Experiment experiment(read_config_file(config, set));
  const Federation& data = experiment.data();
  // The output includes the notes on the data.
  print(data.train.rows > 0 ? describe(data, target_of(experiment.config())) : gaussian_clients(experiment));
  return kDone;
}

}  // namespace pollen::app
