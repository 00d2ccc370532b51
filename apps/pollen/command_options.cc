#include "command_options.h"

#include <fmt/format.h>

#include <charconv>

#include "pollen/errors.h"

namespace pollen::app {

namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

// The options below are declared as they are used: "--out DIR" is --out with a value that --help calls DIR.
std::string name_of(const std::string& usage) { return usage.substr(0, usage.find(' ')); }
std::string value_of(const std::string& usage) { return usage.substr(usage.find(' ') + 1); }

template <class T>
CLI::Option* option(CLI::App* command, const std::string& usage, T& target, const std::string& help) {
  return command->add_option(name_of(usage), target, help)->allow_extra_args(false)->type_name(value_of(usage));
}

// Adds an option whose value goes to `take`, which throws ConfigError if the value is wrong.
void checked(CLI::App* command, const std::string& usage, const std::string& help,
             const std::function<void(const std::string&)>& take) {
  command->add_option_function<std::string>(name_of(usage), take, help)->type_name(value_of(usage));
}

template <class T>
struct Range {
  T least, most;
};
template <class T>
Range(T, T) -> Range<T>;  // clang 16 does not find it by itself

template <class T>
T number_in(const std::string& option, const std::string& text, Range<T> range) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || !(value >= range.least && value <= range.most))
    throw ConfigError(option,
                      fmt::format("found \"{}\", accepted: a number from {} to {}", text, range.least, range.most));
  return value;
}

template <class T, class Target>
void number(CLI::App* command, const std::string& usage, Target& target, Range<T> range, const std::string& help) {
  const auto take = [=, &target](const std::string& text) { target = number_in(name_of(usage), text, range); };
  checked(command, usage, help, take);
}

void set_option(CLI::App* command, std::vector<std::string>& target) {
  option(command, "--set KEY=VALUE", target, "key=value: overrides a key of the configuration; may be repeated");
}

void out_option(CLI::App* command, std::string& target) {
  checked(command, "--out DIR", "folder for what the run leaves (output.dir)", [&target](const std::string& folder) {
    if (folder.empty()) throw ConfigError("--out", "found \"\", accepted: a folder's path");
    target = folder;
  });
}

void force_flag(CLI::App* command, bool& target) {
  command->add_flag("--force", target, "replace an earlier run in the folder; otherwise it is renamed DIR-1 or so");
}

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->allow_extras();
  command->footer("Example:\n" + example);
  return command;
}

// Adds --dashboard, a flag with an optional value. It is given as --dashboard=PORT: the next word never belongs to it.
void add_dashboard(CLI::App* command, Arguments& a) {
  command
      ->add_flag("--dashboard", a.dashboard,
                 "a live page of the run at http://127.0.0.1:PORT [7655]; 0 is any free port")
      ->type_name("[=PORT]");
  option(command, "--dashboard-address ADDRESS", a.dashboard_address,
         "another address for it than 127.0.0.1; the page then asks for the token that is printed");
}

void add_run(CLI::App& app, Arguments& a) {
  CLI::App* run =
      add_command(app, "run", "sample a posterior over federated clients",
                  "  pollen run                                     # the built-in Titanic problem\n"
                  "  pollen run mine.toml --set sampler.step=1e-4 --out runs/a\n"
                  "  pollen run --resume --out runs/a               # go on after Ctrl-C\n"
                  "  pollen run mine.toml --dashboard               # and watch it in a browser\n"
                  "  mpirun -n 4 pollen run mine.toml --out runs/a  # clients on four processes, the same draws");
  run->add_option("CONFIG", a.run.config, "TOML file; without it the built-in Titanic problem");
  set_option(run, a.run.set);
  out_option(run, a.run.out);
  number(run, "--threads N", a.run.threads, Range{1, 4096},
         "threads (under mpirun, of every rank); any number gives the same draws");
  // CLI11 handles options in the order of their declarations. --seed must come after --set, because --set replaces the
  // list to which --seed appends.
  checked(run, "--seed N", "the same as --set seed=N",
          [&a](const std::string& seed) { a.run.set.push_back("seed=" + seed); });
  number(run, "--checkpoint-every SECONDS", a.run.checkpoint_every, Range{0.0, 1e6},
         "seconds between checkpoints [10]");
  run->add_flag("--resume", a.run.resume, "go on with the run in the folder, to the same draws");
  force_flag(run, a.run.force);
  run->add_flag("--quiet", a.run.quiet, "no progress on stderr");
  add_dashboard(run, a);
}

void add_others(CLI::App& app, Arguments& a) {
  CLI::App* summary = add_command(app, "summary", "the table of stansummary: mean, mcse, sd, quantiles, ess, rhat",
                                  "  pollen summary pollen-out\n"
                                  "  pollen summary pollen-out --json | jq '.parameters[] | select(.check != [])'\n"
                                  "The column check says what is wrong, if anything. On a terminal with colours "
                                  "(NO_COLOR turns them off)\nand a trace of every chain.");
  summary->add_option("DIR", a.summary.folder, "folder of a run, or with CmdStan's CSVs")->required();
  summary->add_flag("--json", a.summary.json, "JSON on stdout");
  summary->add_flag("--sparkline", a.summary.sparkline, "show the traces also if stdout is not a terminal");
  CLI::App* compare = add_command(app, "compare", "scores of a run against reference draws",
                                  "  pollen compare runs/qlsd runs/lsd\n  pollen compare runs/qlsd exact.json");
  compare->add_option("DIR", a.folder, "folder of a run, or with CmdStan's CSVs; of networks, predictions are compared")
      ->required();
  compare->add_option("REFERENCE", a.reference, "a folder, a CmdStan CSV, or JSON with mean and covariance")
      ->required();
  CLI::App* data = add_command(app, "data", "the clients × classes table, before anything runs",
                               "  pollen data mine.toml --set data.dirichlet_alpha=0.1");
  data->add_option("CONFIG", a.config, "TOML file")->required();
  set_option(data, a.set);
  CLI::App* list = add_command(app, "list", "what there is to choose from",
                               "  pollen list samplers\n"
                               "  pollen list keys                 # every key of the configuration\n"
                               "  pollen list keys sampler         # those of one section\n"
                               "  pollen list keys sampler.step    # one key\n"
                               "  pollen list keys --markdown      # docs/configuration.md");
  list->add_option("WHAT", a.list.what, fmt::format("one of {}", fmt::join(list_names(), ", ")))->required();
  list->add_option("KEY", a.list.narrow, "with keys: a section or a key");
  list->add_flag("--markdown", a.list.markdown, "with keys: as docs/configuration.md");
}

void add_plan(CLI::App& app, Arguments& a) {
  CLI::App* plan = add_command(
      app, "plan", "what a run will deliver, step sizes, rounds, bits, W2 bound, (ε, δ): before anything runs",
      "  pollen plan mine.toml\n"
      "  pollen plan mine.toml --precision 0.1          # what W2 ≤ 0.1 would take\n"
      "  pollen plan mine.toml --precision 0.1 --round-price 50 --json\n"
      "  pollen plan mine.toml --recommend --set network.preset=hospital   # which sampler is the fastest there\n"
      "Clients are asked for the mode and a few constants; no rows move and nothing is written.");
  plan->add_option("CONFIG", a.plan.config, "TOML file; without it the built-in Titanic problem");
  set_option(plan, a.plan.set);
  number(plan, "--precision W", a.plan.precision, Range{1e-300, 1e300},
         "a W2 distance; the plan then has the steps, rounds and bits to reach it");
  number(plan, "--round-price P", a.plan.round_price, Range{0.0, 1e300},
         "the cost of a round in gradients; the plan then has the best number of local steps");
  plan->add_flag("--exact", a.plan.exact, "forecast by exact laws also where they take long");
  plan->add_flag("--recommend", a.plan.recommend,
                 "name the sampler with the least time to 1,000 effective draws in the network of [network], or in "
                 "every preset of it");
  number(plan, "--within PERCENT", a.plan.within, Range{1e-3, 50.0},
         "with --recommend: how far sampled sds and means may be off, in per cent of a posterior sd (3)");
  plan->add_flag("--json", a.plan.json, "JSON on stdout");
}

void add_predict(CLI::App& app, Arguments& a) {
  CLI::App* predict =
      add_command(app, "predict", "posterior predictive for new rows, with where the uncertainty comes from",
                  "  pollen predict runs/a --data new.csv                         # one line per row, as csv\n"
                  "  pollen predict runs/a --data labelled.csv --score > out.csv  # and the scores, on stderr\n"
                  "  pollen predict runs/a --data new.csv --interval 0.5 --json\n"
                  "  pollen predict runs/mnist --data t10k-images-idx3-ubyte.gz --score --draws 100\n"
                  "Mixed-effects models predict rows of one client:\n"
                  "  pollen predict runs/b --client hospital-3 --data rows.csv\n"
                  "  pollen predict runs/b --new-client --data rows.csv           # from the population\n"
                  "  pollen predict runs/b --new-client --observed mine.csv --data rows.csv\n"
                  "The run's own data need not be there: DIR/encoder.json says how rows are encoded. docs/predict.md.");
  predict->add_option("DIR", a.predict.folder, "folder of a run")->required();
  option(predict, "--data FILE", a.predict.data, "the rows: csv, or the format of the run's data; no target needed")
      ->required();
  number(predict, "--interval P", a.predict.interval, Range{0.01, 0.9999},
         "the probability that an interval covers [0.9]");
  number(predict, "--draws N", a.predict.draws, Range{std::int64_t{1}, std::int64_t{1'000'000}},
         "the most draws to use, evenly spaced over all chains [1000]");
  predict->add_flag("--score", a.predict.score, "the file has the target: accuracy, nnll, ... as in summary.json");
  option(predict, "--labels FILE", a.predict.labels, "with --score, idx: the file of the labels [by the name]");
  predict->add_flag("--json", a.predict.json, "JSON on stdout");
  option(predict, "--client ID", a.predict.client, "mixed-effects: a client of the run, by its name");
  predict->add_flag("--new-client", a.predict.new_client, "mixed-effects: a client the run has not seen");
  option(predict, "--observed FILE", a.predict.observed, "csv file with the new client's own rows, target included");
  option(predict, "--set KEY=VALUE", a.predict.set, "key=value: such as compute.device=cpu; may be repeated");
}

void add_convert(CLI::App& app, Arguments& a) {
  CLI::App* convert = add_command(
      app, "convert", "data to a memory-mapped store, which runs start from without reading text",
      "  pollen convert mine.toml mine.pollen           # the [data] of a configuration, split and standardised\n"
      "  pollen run mine.toml --set data.source=mine.pollen\n"
      "  pollen convert visits.csv visits.pollen --set data.target=died --set data.clients=20\n"
      "  pollen convert prices.csv prices.pollen --set model.kind=linear      # the target is a number\n"
      "  pollen convert synthetic-logistic many.pollen --set data.clients=1000000\n"
      "  pollen convert --check mine.pollen             # every checksum\n"
      "docs/formats/store.md is the format.");
  convert
      ->add_option("IN", a.convert.in,
                   "a configuration (.toml), a file of data, or a built-in name; with --check a store")
      ->required();
  convert->add_option("OUT", a.convert.out,
                      "the store, OUT.pollen; one that is there is replaced when the new one is complete");
  option(convert, "--set KEY=VALUE", a.convert.set, "key=value: any key of [data], seed, model.kind; may be repeated");
  convert->add_flag("--check", a.convert.check, "write nothing: check all checksums of the store IN");
}

void add_report(CLI::App& app, Arguments& a) {
  CLI::App* report = add_command(
      app, "report", "one self-contained HTML page with tables and plots of a run, or of several",
      "  pollen report pollen-out                       # writes pollen-out/report.html\n"
      "  pollen report runs/qlsd runs/nuts -o both.html # qlsd against the reference nuts, which stands last\n"
      "The page needs no network and can be sent by mail. docs/report.md.");
  report
      ->add_option("DIR", a.report.folders,
                   "folder of a run, or with CmdStan's CSVs; of several, the last is the reference for the others")
      ->required();
  option(report, "-o,--out FILE", a.report.out, "where the page goes [report.html in the first DIR]");
}

void add_keys(CLI::App& app, Arguments& a) {
  CLI::App* keys =
      add_command(app, "keys", "keys and certificates for TLS between a server and its clients",
                  "  pollen keys keys --server hub.example.org --clients hospital-a,hospital-b\n"
                  "  pollen keys keys --clients hospital-c            # later, by the same authority\n"
                  "Writes ca.pem, ca.key and for each name NAME.pem, NAME.key; never replaces a file. docs/keys.md.");
  keys->add_option("DIR", a.keys.folder, "folder for the files; if it does not exist, it is made for you alone")
      ->required();
  option(keys, "--server NAME", a.keys.server, "the server's host name or IPv4 address");
  option(keys, "--clients NAMES", a.keys.clients,
         "the clients' names, with commas; a client is known by the name in its certificate");
  option(keys, "--address HOST", a.keys.addresses,
         "another host name or IP that clients reach the server by; may be repeated");
  option(keys, "--revoke NAMES", a.keys.revoked,
         "names whose certificates are no longer good, with commas: writes DIR/crl.pem for serve --crl");
  number(keys, "--days N", a.keys.days, Range{1, 3650},
         "days until the certificates expire [825]; the authority's own: 3650");
}

void add_wire(CLI::App* command, WireOptions& wire, std::string& log_format) {
  option(command, "--ca FILE", wire.ca, "the authority's certificate");
  option(command, "--cert FILE", wire.cert, "this side's certificate");
  option(command, "--key FILE", wire.key, "this side's private key");
  command->add_flag("--insecure", wire.insecure,
                    "plain text, no certificates; said twice for an address of another machine");
  command->add_flag(
      "--shared-seed", wire.shared_seed,
      "for tests: clients draw from the federation's seed, not their own, and only a --policy that is given holds");
  checked(command, "--log-format FORMAT", "text or json [text]", [&log_format](const std::string& format) {
    if (format != "text" && format != "json")
      throw ConfigError("--log-format", fmt::format("found \"{}\", accepted: text, json", format));
    log_format = format;
  });
}

void add_serve(CLI::App& app, Arguments& a) {
  CLI::App* serve = add_command(
      app, "serve", "the server of a federation: waits for its clients and samples over them",
      "  pollen serve study.toml --listen 0.0.0.0:50051 --out runs/a --state state --ca ca.pem --cert hub.pem --key "
      "hub.key\n"
      "  pollen serve study.toml --listen 127.0.0.1:50051 --insecure --out runs/a        # on one machine\n"
      "  pollen serve study.toml --listen 127.0.0.1:50051 --insecure --out runs/a --dashboard\n"
      "Started again after a crash with the same command, it goes on to the same draws. docs/federation.md.");
  serve->add_option("CONFIG", a.serve.run.config, "TOML file")->required();
  option(serve, "--listen HOST:PORT", a.serve.listen, "the address that clients connect to; port 0 is any free one")
      ->required();
  out_option(serve, a.serve.run.out);
  option(serve, "--state DIR", a.serve.state, "folder for what a restart needs [the run's folder]");
  set_option(serve, a.serve.run.set);
  serve->add_flag("--resume", a.serve.run.resume,
                  "go on also with a run that is complete, to tell clients that were away when it ended");
  force_flag(serve, a.serve.run.force);
  serve->add_flag("--share-draws", a.serve.share_draws, "send the draws to the clients at the end (join --out DIR)");
  option(serve, "--crl FILE", a.serve.crl,
         "revocation list of the authority in PEM (keys --revoke); read again whenever it changes");
  option(serve, "--without NAME", a.serve.without, "this client may not take part (any more); may be repeated");
  option(serve, "--accept-reply NAME", a.serve.accept_replies,
         "take this client's replies however large they are, after a run was paused by one; may be repeated");
  option(serve, "--metrics HOST:PORT", a.serve.metrics, "HTTP for Prometheus (/metrics) and /healthz");
  serve->add_flag("--quiet", a.serve.run.quiet, "no news and no progress on stderr");
  add_dashboard(serve, a);
  add_wire(serve, a.serve.wire, a.serve.log_format);
}

void add_join(CLI::App& app, Arguments& a) {
  CLI::App* join = add_command(
      app, "join", "one client of a federation; its data never leaves it",
      "  pollen join --server hub.example.org:50051 --data heart.csv --trust-server --ca ca.pem --cert hospital-a.pem "
      "--key hospital-a.key\n"
      "  pollen join --server hub.example.org:50051 --data heart.csv --dry-run --ca ca.pem ...   # what would be sent\n"
      "  pollen join --server 127.0.0.1:50051 --insecure --name a --config study.toml --client 0 # a part of the "
      "config's split\n"
      "It comes back by itself when the connection is lost, and after a crash when it is started again. "
      "docs/federation.md.");
  option(join, "--server HOST:PORT", a.join.server, "where the server listens")->required();
  option(join, "--data FILE", a.join.data, "this client's own rows");
  option(join, "--config FILE", a.join.config, "for demos and tests: the configuration whose own split is used");
  number(join, "--client I", a.join.part, Range{std::int64_t{0}, kMost},
         "the number of the part of that split, from 0");
  option(join, "--set KEY=VALUE", a.join.set, "with --config, key=value: overrides a key; may be repeated");
  option(join, "--name NAME", a.join.name, "with --insecure: the name of this client");
  option(join, "--state DIR", a.join.state, "folder for the secret seed and what a restart needs [pollen-state-NAME]");
  option(join, "--out DIR", a.join.out, "folder for the draws that a server with --share-draws sends at the end");
  option(join, "--contract FILE", a.join.contract,
         "take part in the study of this contract.toml alone, as --dry-run wrote it [the first study is pinned]");
  option(join, "--contract-hash HEX", a.join.contract_hash, "the same by the contract's SHA-256");
  join->add_flag(
      "--new-run", a.join.new_run,
      "let one further run begin over data that have taken part in one, or let this one go on with an older state");
  option(join, "--model-file FILE", a.join.model_file,
         "this site's own copy of the model, for studies that need a file");
  option(join, "--policy FILE", a.join.policy,
         "TOML file that says which studies this site takes part in [the defaults of docs/policy.md]");
  join->add_flag("--trust-server", a.join.trust_server,
                 "the site's word that the hub does not reconstruct rows; needed for a study without [privacy]");
  option(join, "--ledger DIR", a.join.ledger,
         "folder of this site's ledger, which has what was answered [$XDG_STATE_HOME/pollen/ledger]");
  number(join, "--max-rounds N", a.join.max_rounds, Range{std::int64_t{1}, kMost},
         "give no more answers than this, rounds and questions of set-up together (the policy's max_rounds)");
  number(join, "--max-epsilon E", a.join.max_epsilon, Range{1e-300, 1e300},
         "stop before the round that would exceed this epsilon (fa-ld; the policy's max_epsilon)");
  number(join, "--min-rows N", a.join.min_rows, Range{std::int64_t{1}, kMost},
         "refuse with fewer training rows than this (the policy's min_rows) [20]");
  option(join, "--allow SAMPLER", a.join.samplers,
         "a sampler that is allowed; may be repeated (the policy's samplers) [any]");
  join->add_flag("--no-hessian", a.join.no_hessian,
                 "never send the whole curvature: sampler.precondition is then at most \"diagonal\" for all");
  number(join, "--give-up SECONDS", a.join.give_up, Range{0.001, 1e9},
         "seconds without a server after which to stop [never]");
  join->add_flag(
      "--dry-run", a.join.dry_run,
      "print what would be sent under the server's configuration, write contract.toml (into --out DIR), and leave");
  join->add_flag("--quiet", a.join.quiet, "no news on stderr");
  add_wire(join, a.join.wire, a.join.log_format);
}

void add_ledger(CLI::App& app, Arguments& a) {
  CLI::App* ledger = add_command(app, "ledger", "what this site has answered so far, and the head of its ledger",
                                 "  pollen ledger\n"
                                 "  pollen ledger --json --ledger /var/lib/pollen/ledger\n"
                                 "Whoever keeps the head can tell later that no line was changed. docs/policy.md.");
  option(ledger, "--ledger DIR", a.ledger.folder, "the ledger's folder [$XDG_STATE_HOME/pollen/ledger]");
  ledger->add_flag("--json", a.ledger.json, "JSON on stdout");
}

}  // namespace

DashboardOptions dashboard_of(const Arguments& a) {
  constexpr int kPort = 7655;
  DashboardOptions options;
  // CLI11 stores "true" for a flag without a value.
  if (a.dashboard == "true")
    options.port = kPort;
  else if (!a.dashboard.empty())
    options.port = number_in("--dashboard", a.dashboard, Range{0, 65535});
  if (a.dashboard_address.empty()) return options;
  if (!options.port) throw ConfigError("--dashboard-address", "found without --dashboard, accepted: both");
  options.address = a.dashboard_address;
  return options;
}

void add_commands(CLI::App& app, Arguments& a) {
  add_run(app, a);
  add_plan(app, a);
  add_predict(app, a);
  add_convert(app, a);
  add_report(app, a);
  add_keys(app, a);
  add_serve(app, a);
  add_join(app, a);
  add_ledger(app, a);
  add_others(app, a);
}

}  // namespace pollen::app
