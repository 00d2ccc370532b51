// Turns the words of the command line into a command and runs it. CLI11 is slow to compile, so only this file and the
// one with the options include it.
#include <fmt/format.h>

#include <algorithm>

#include "command_options.h"
#include "pollen/errors.h"
#include "terminal.h"

namespace pollen::app {

namespace {

const std::vector<std::string> kCommands = {"run",  "summary", "compare", "plan", "predict", "data",  "convert",
                                            "keys", "serve",   "join",    "list", "report",  "ledger"};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

// Suggests the accepted name that is nearest to the word, if one is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& names) {
  const auto near = nearest(word, names);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

[[noreturn]] void refuse_extra(const CLI::App& command, const std::vector<std::string>& extras) {
  const auto option = std::ranges::find_if(extras, [](const std::string& e) { return e.starts_with("-"); });
  if (option == extras.end())
    throw ConfigError(command.get_name(), fmt::format("found \"{}\", one word too many; see pollen {} --help",
                                                      extras.front(), command.get_name()));
  const auto names = option_names(command);
  throw ConfigError(command.get_name(), fmt::format("found \"{}\", accepted: {}{}", *option, fmt::join(names, ", "),
                                                    suggestion(option->substr(0, option->find('=')), names)));
}

// Checks the command before CLI11 does, because CLI11 does not suggest similar names.
void check_command(const std::string& word) {
  if (word.starts_with("-") || std::ranges::count(kCommands, word) > 0) return;
  if (word == "reproduce") throw ConfigError(word, "this command is not in this version of pollen");
  throw ConfigError("", fmt::format("found the command \"{}\", accepted: {}{}", word, fmt::join(kCommands, ", "),
                                    suggestion(word, kCommands)));
}

int dispatch(const std::string& name, Arguments& a) {
  if (name == "summary") return summary_command(a.summary);
  if (name == "compare") return compare_command(a.folder, a.reference);
  if (name == "plan") return plan_command(a.plan);
  if (name == "predict") return predict_command(a.predict);
  if (name == "join") return join_command(a.join);
  if (name == "ledger") return ledger_command(a.ledger);
  if (name == "data") return data_command(a.config, a.set);
  if (name == "convert") return convert_command(a.convert);
  if (name == "keys") return keys_command(a.keys);
  if (name == "report") return report_command(a.report);
  if (name == "list") return list_command(a.list);
  a.run.dashboard = a.serve.run.dashboard = dashboard_of(a);
  return name == "serve" ? serve_command(a.serve) : run_command(a.run);
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
    const std::string name = commands.empty() ? "" : commands.front()->get_name();
    throw ConfigError(name, fmt::format("{}; see pollen {} --help", error.what(), name));
  }
  if (arguments.version) return version_command();
  const auto commands = app.get_subcommands();
  const CLI::App& command = commands.empty() ? app : *commands.front();
  if (const auto extras = app.remaining(true); !extras.empty()) refuse_extra(command, extras);
  if (commands.empty())
    throw ConfigError("", fmt::format("found no command, accepted: {}", fmt::join(kCommands, ", ")));
  return dispatch(command.get_name(), arguments);
}

}  // namespace pollen::app
