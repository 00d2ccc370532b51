// Turns the words of the command line into a command and runs it. CLI11 is slow to compile, so only this file and the
// one with the options include it.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "command_options.h"
#include "pollen/errors.h"
#include "terminal.h"

namespace pollen::app {

namespace {

const std::vector<std::string> kCommands = {"run",     "summary", "compare", "plan", "predict", "data",
                                            "convert", "keys",    "serve",   "join", "list",    "report"};
const std::vector<std::string> kLater = {"reproduce"};

template <class T>
T number(const std::string& option, const std::string& text, T least, T most) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= least && value <= most))
    throw ConfigError(option, fmt::format("found \"{}\", accepted: a number from {} to {}", text, least, most));
  return value;
}

DashboardOptions dashboard_of(const Arguments& a) {
  DashboardOptions options;
  constexpr int kPort = 7655;
  // CLI11 stores "true" for a flag without a value.
  const bool bare = a.dashboard == "true";
  if (!a.dashboard.empty()) options.port = bare ? kPort : number<int>("--dashboard", a.dashboard, 0, 65535);
  if (a.dashboard_address.empty()) return options;
  if (!options.port) throw ConfigError("--dashboard-address", "found without --dashboard, which it is for");
  options.address = a.dashboard_address;
  return options;
}

void check_log_format(const std::string& format) {
  if (format != "text" && format != "json")
    throw ConfigError("--log-format", fmt::format("found \"{}\", accepted: text, json", format));
}

int join_of(Arguments& a) {
  JoinOptions& j = a.join;
  check_log_format(j.log_format);
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  if (!a.part.empty()) j.part = number<std::int64_t>("--client", a.part, 0, kMost);
  if (!a.max_rounds.empty()) j.max_rounds = number<std::int64_t>("--max-rounds", a.max_rounds, 1, kMost);
  if (!a.min_rows.empty()) j.min_rows = number<std::int64_t>("--min-rows", a.min_rows, 1, kMost);
  if (!a.max_epsilon.empty()) j.max_epsilon = number<double>("--max-epsilon", a.max_epsilon, 1e-300, 1e300);
  if (!a.give_up.empty()) j.give_up = number<double>("--give-up", a.give_up, 0.001, 1e9);
  return join_command(j);
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

[[noreturn]] void refuse_extra(const CLI::App& command, const std::vector<std::string>& extras) {
  const auto option = std::find_if(extras.begin(), extras.end(), [](const auto& e) { return e.starts_with("-"); });
  const std::string& found = option == extras.end() ? extras.front() : *option;
  const auto names = option_names(command);
  const std::string word = found.substr(0, found.find('='));
  const auto near = found.starts_with("-") ? nearest(word, names) : std::nullopt;
  if (!found.starts_with("-"))
    throw ConfigError(command.get_name(),
                      fmt::format("found \"{}\", one word too many; see pollen {} --help", found, command.get_name()));
  throw ConfigError(command.get_name(), fmt::format("found \"{}\", accepted: {}{}", found, fmt::join(names, ", "),
                                                    near ? fmt::format("; did you mean {}?", *near) : ""));
}

// Checks the command before CLI11 does, because CLI11 does not suggest similar names.
void check_command(const std::string& word) {
  if (word.starts_with("-") || std::find(kCommands.begin(), kCommands.end(), word) != kCommands.end()) return;
  if (std::find(kLater.begin(), kLater.end(), word) != kLater.end())
    throw ConfigError(word, "this command is not in this version of pollen");
  const auto near = nearest(word, kCommands);
  throw ConfigError("", fmt::format("found the command \"{}\", accepted: {}{}", word, fmt::join(kCommands, ", "),
                                    near ? fmt::format("; did you mean {}?", *near) : ""));
}

int dispatch(const CLI::App& command, Arguments& a) {
  const std::string name = command.get_name();
  if (name == "summary") return summary_command(a.summary);
  if (name == "compare") return compare_command(a.folder, a.reference);
  if (name == "plan") {
    if (!a.precision.empty()) a.plan.precision = number<double>("--precision", a.precision, 1e-300, 1e300);
    if (!a.round_price.empty()) a.plan.round_price = number<double>("--round-price", a.round_price, 0.0, 1e300);
    return plan_command(a.plan);
  }
  if (name == "predict") {
    if (!a.interval.empty()) a.predict.interval = number<double>("--interval", a.interval, 0.01, 0.9999);
    if (!a.draws.empty()) a.predict.draws = number<std::int64_t>("--draws", a.draws, 1, 1'000'000);
    return predict_command(a.predict);
  }
  if (name == "serve") {
    check_log_format(a.serve.log_format);
    a.serve.run.dashboard = dashboard_of(a);
    return serve_command(a.serve);
  }
  if (name == "join") return join_of(a);
  if (name == "data") return data_command(a.config, a.set);
  if (name == "convert") return convert_command(a.convert);
  if (name == "keys") {
    if (!a.days.empty()) a.keys.days = number<int>("--days", a.days, 1, 3650);
    return keys_command(a.keys);
  }
  if (name == "report") return report_command(a.report);
  if (name == "list") return list_command(a.list);
  if (command.get_option("--out")->count() > 0 && a.run.out.empty())
    throw ConfigError("--out", "found \"\", accepted: a folder's path");
  if (!a.threads.empty()) a.run.threads = number<int>("--threads", a.threads, 1, 4096);
  if (!a.seed.empty()) a.run.set.push_back("seed=" + a.seed);
  if (!a.checkpoint_every.empty())
    a.run.checkpoint_every = number<double>("--checkpoint-every", a.checkpoint_every, 0.0, 1e6);
  a.run.dashboard = dashboard_of(a);
  return run_command(a.run);
}

}  // namespace

int command_line(int argc, const char* const* argv) {
  CLI::App app("pollen: federated Bayesian sampling", "pollen");
  Arguments arguments;
  app.add_flag("--version", arguments.version, "version, git revision, build type, optional parts");
  app.allow_extras();
  // At most one subcommand is read, so that in "pollen list keys run" the last word is not taken for a command.
  app.require_subcommand(0, 1);
  app.footer(
      "Example:\n  pollen run                  # sample the built-in problem\n  pollen summary pollen-out\n\n"
      "pollen COMMAND --help says more.");
  add_commands(app, arguments);
  if (argc < 2) {
    to_stderr(app.help());
    return kWrongInput;
  }
  check_command(argv[1]);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto commands = app.get_subcommands();
    print(commands.empty() ? app.help() : commands.front()->help("pollen"));
    return kDone;
  } catch (const CLI::ParseError& error) {
    const auto commands = app.get_subcommands();
    throw ConfigError(
        commands.empty() ? "" : commands.front()->get_name(),
        fmt::format("{}; see pollen {} --help", error.what(), commands.empty() ? "" : commands.front()->get_name()));
  }
  if (arguments.version) return version_command();
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  if (const auto extras = app.remaining(true); !extras.empty()) refuse_extra(command, extras);
  if (commands.empty())
    throw ConfigError("", "found no command, accepted: " + fmt::format("{}", fmt::join(kCommands, ", ")));
  return dispatch(command, arguments);
}

}  // namespace pollen::app
