#include "command_options.h"

#include <fmt/format.h>

namespace pollen::app {

namespace {

CLI::App* add_command(CLI::App& app, const std::string& name, const std::string& what, const std::string& example) {
  CLI::App* command = app.add_subcommand(name, what);
  command->allow_extras();
  command->footer("Example:\n" + example);
  return command;
}

// Adds --dashboard, a flag with an optional value. It is given as --dashboard=PORT: the next word never belongs to it.
void add_dashboard(CLI::App& command, Arguments& a) {
  command
      .add_flag("--dashboard", a.dashboard,
                "a live page of the run at http://127.0.0.1:PORT [7655]; 0 is any free port")
      ->type_name("[=PORT]");
  command
      .add_option("--dashboard-address", a.dashboard_address,
                  "another address for it than 127.0.0.1; the page then asks for the token that is printed")
      ->type_name("ADDRESS");
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
  run->add_option("--set", a.run.set, "key=value: overrides a key of the configuration; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  run->add_option("--out", a.run.out, "folder for what the run leaves (output.dir)")->type_name("DIR");
  run->add_option("--threads", a.threads, "threads (under mpirun, of every rank); any number gives the same draws")
      ->type_name("N");
  run->add_option("--seed", a.seed, "the same as --set seed=N")->type_name("N");
  run->add_option("--checkpoint-every", a.checkpoint_every, "seconds between checkpoints [10]")->type_name("SECONDS");
  run->add_flag("--resume", a.run.resume, "go on with the run in the folder, to the same draws");
  run->add_flag("--quiet", a.run.quiet, "no progress on stderr");
  add_dashboard(*run, a);
}

void add_others(CLI::App& app, Arguments& a) {
  CLI::App* summary = add_command(app, "summary", "the table of stansummary: mean, mcse, sd, quantiles, ess, rhat",
                                  "  pollen summary pollen-out\n"
                                  "  pollen summary pollen-out --json | jq '.parameters[] | select(.check != [])'\n"
                                  "The column check says what is wrong, if anything. On a terminal with colours "
                                  "(NO_COLOR turns them off)\nand a trace of every chain.");
  summary->add_option("DIR", a.summary.folder, "folder of a run, or with CmdStan's CSVs")->required();
  summary->add_flag("--json", a.summary.json, "JSON on stdout");
  summary->add_flag("--sparkline", a.summary.sparkline, "the traces where stdout is no terminal, too");
  CLI::App* compare = add_command(app, "compare", "scores of a run against reference draws",
                                  "  pollen compare runs/qlsd runs/lsd\n  pollen compare runs/qlsd exact.json");
  compare->add_option("DIR", a.folder, "folder of a run, or with CmdStan's CSVs; of networks, predictions are compared")
      ->required();
  compare->add_option("REFERENCE", a.reference, "a folder, a CmdStan CSV, or JSON with mean and covariance")
      ->required();
  CLI::App* data = add_command(app, "data", "the clients × classes table, before anything runs",
                               "  pollen data mine.toml --set data.dirichlet_alpha=0.1");
  data->add_option("CONFIG", a.config, "TOML file")->required();
  data->add_option("--set", a.set, "key=value: overrides a key of the configuration; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
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
  CLI::App* plan =
      add_command(app, "plan", "step sizes, rounds, bits, W2 bound, (ε, δ): before anything runs",
                  "  pollen plan mine.toml\n"
                  "  pollen plan mine.toml --precision 0.1          # what W2 ≤ 0.1 would take\n"
                  "  pollen plan mine.toml --precision 0.1 --round-price 50 --json\n"
                  "Clients are asked for the mode and a few constants; no rows move and nothing is written.");
  plan->add_option("CONFIG", a.plan.config, "TOML file; without it the built-in Titanic problem");
  plan->add_option("--set", a.plan.set, "key=value: overrides a key of the configuration; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  plan->add_option("--precision", a.precision, "a W2 distance to reach: steps, rounds and bits to it")->type_name("W");
  plan->add_option("--round-price", a.round_price, "of a round, in gradients: the best number of local steps")
      ->type_name("P");
  plan->add_flag("--json", a.plan.json, "JSON on stdout");
}

void add_predict(CLI::App& app, Arguments& a) {
  CLI::App* predict =
      add_command(app, "predict", "posterior predictive for new rows, with where the uncertainty comes from",
                  "  pollen predict runs/a --data new.csv                         # a line a row, as csv\n"
                  "  pollen predict runs/a --data labelled.csv --score > out.csv  # and the scores, on stderr\n"
                  "  pollen predict runs/a --data new.csv --interval 0.5 --json\n"
                  "  pollen predict runs/mnist --data t10k-images-idx3-ubyte.gz --score --draws 100\n"
                  "Mixed-effects models predict rows of one client:\n"
                  "  pollen predict runs/b --client hospital-3 --data rows.csv\n"
                  "  pollen predict runs/b --new-client --data rows.csv           # from the population\n"
                  "  pollen predict runs/b --new-client --observed mine.csv --data rows.csv\n"
                  "The run's own data need not be there: DIR/encoder.json says how rows are encoded. docs/predict.md.");
  predict->add_option("DIR", a.predict.folder, "folder of a run")->required();
  predict->add_option("--data", a.predict.data, "the rows: csv, or the format of the run's data; no target needed")
      ->required()
      ->type_name("FILE");
  predict->add_option("--interval", a.interval, "share of the intervals [0.9]")->type_name("P");
  predict->add_option("--draws", a.draws, "at most so many, evenly spaced over all chains [1000]")->type_name("N");
  predict->add_flag("--score", a.predict.score, "the file has the target: accuracy, nnll, ... as in summary.json");
  predict->add_option("--labels", a.predict.labels, "with --score, idx: the file of the labels [by the name]")
      ->type_name("FILE");
  predict->add_flag("--json", a.predict.json, "JSON on stdout");
  predict->add_option("--client", a.predict.client, "mixed-effects: a client of the run, by its name")->type_name("ID");
  predict->add_flag("--new-client", a.predict.new_client, "mixed-effects: a client the run has not seen");
  predict->add_option("--observed", a.predict.observed, "csv file with the new client's own rows, target included")
      ->type_name("FILE");
  predict->add_option("--set", a.predict.set, "key=value: such as compute.device=cpu; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
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
  convert->add_option("--set", a.convert.set, "key=value: any key of [data], seed, model.kind; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  convert->add_flag("--check", a.convert.check, "write nothing: check all checksums of the store IN");
}

void add_report(CLI::App& app, Arguments& a) {
  CLI::App* report =
      add_command(app, "report", "one self-contained HTML page with tables and plots of a run, or of several",
                  "  pollen report pollen-out                       # writes pollen-out/report.html\n"
                  "  pollen report runs/qlsd runs/nuts -o both.html # two runs side by side\n"
                  "The page needs no network and can be sent by mail. docs/report.md.");
  report
      ->add_option("DIR", a.report.folders,
                   "folder of a run, or with CmdStan's CSVs; several are compared with the first")
      ->required();
  report->add_option("-o,--out", a.report.out, "where the page goes [report.html in the first DIR]")
      ->allow_extra_args(false)
      ->type_name("FILE");
}

void add_keys(CLI::App& app, Arguments& a) {
  CLI::App* keys =
      add_command(app, "keys", "keys and certificates for TLS between a server and its clients",
                  "  pollen keys keys --server hub.example.org --clients hospital-a,hospital-b\n"
                  "  pollen keys keys --clients hospital-c            # later, by the same authority\n"
                  "Writes ca.pem, ca.key and for each name NAME.pem, NAME.key; never replaces a file. docs/keys.md.");
  keys->add_option("DIR", a.keys.folder, "folder for the files; made, for you alone, where it is not there")
      ->required();
  keys->add_option("--server", a.keys.server, "the server's host name or IPv4 address")->type_name("NAME");
  keys->add_option("--clients", a.keys.clients, "the clients' names, with commas; a client is who its certificate says")
      ->allow_extra_args(false)
      ->type_name("NAMES");
  keys->add_option("--address", a.keys.addresses,
                   "another host name or IP that clients reach the server by; may be repeated")
      ->allow_extra_args(false)
      ->type_name("HOST");
  keys->add_option("--days", a.days, "days until the certificates expire [825]; the authority's own: 3650")
      ->type_name("N");
}

void add_wire(CLI::App& command, WireOptions& wire, std::string& log_format) {
  command.add_option("--ca", wire.ca, "the authority's certificate")->type_name("FILE");
  command.add_option("--cert", wire.cert, "this side's certificate")->type_name("FILE");
  command.add_option("--key", wire.key, "this side's private key")->type_name("FILE");
  command.add_flag("--insecure", wire.insecure,
                   "plain text, no certificates; said twice for an address of another machine");
  command.add_flag("--shared-seed", wire.shared_seed,
                   "for tests: clients draw from the federation's seed, not their own");
  command.add_option("--log-format", log_format, "text or json [text]")->type_name("FORMAT");
}

void add_serve(CLI::App& app, Arguments& a) {
  CLI::App* serve = add_command(
      app, "serve", "the server of a federation: waits for its clients and samples over them",
      "  pollen serve study.toml --listen 0.0.0.0:50051 --out runs/a --state state --ca ca.pem --cert hub.pem --key "
      "hub.key\n"
      "  pollen serve study.toml --listen 127.0.0.1:50051 --insecure --out runs/a        # on one machine\n"
      "  pollen serve study.toml --listen 127.0.0.1:50051 --insecure --out runs/a --dashboard\n"
      "Started again after a crash, with the same --state, it goes on to the same draws. docs/federation.md.");
  serve->add_option("CONFIG", a.serve.run.config, "TOML file")->required();
  serve->add_option("--listen", a.serve.listen, "where clients come; port 0 is any free one")
      ->required()
      ->type_name("HOST:PORT");
  serve->add_option("--out", a.serve.run.out, "folder for what the run leaves (output.dir)")->type_name("DIR");
  serve->add_option("--state", a.serve.state, "folder for what a restart needs [the run's folder]")->type_name("DIR");
  serve->add_option("--set", a.serve.run.set, "key=value: overrides a key of the configuration; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  serve->add_flag("--resume", a.serve.run.resume, "go on with the run in --out, where there is no --state");
  serve->add_flag("--share-draws", a.serve.share_draws, "send the draws to the clients at the end (join --out DIR)");
  serve->add_option("--metrics", a.serve.metrics, "HTTP for Prometheus (/metrics) and /healthz")
      ->type_name("HOST:PORT");
  serve->add_flag("--quiet", a.serve.run.quiet, "no news and no progress on stderr");
  add_dashboard(*serve, a);
  add_wire(*serve, a.serve.wire, a.serve.log_format);
}

void add_join(CLI::App& app, Arguments& a) {
  CLI::App* join = add_command(
      app, "join", "one client of a federation; its data never leaves it",
      "  pollen join --server hub.example.org:50051 --data heart.csv --ca ca.pem --cert hospital-a.pem --key "
      "hospital-a.key\n"
      "  pollen join --server hub.example.org:50051 --data heart.csv --dry-run --ca ca.pem ...   # what would be sent\n"
      "  pollen join --server 127.0.0.1:50051 --insecure --name a --config study.toml --client 0 # a part of the "
      "config's split\n"
      "It comes back by itself when the connection is lost, and after a crash when it is started again. "
      "docs/federation.md.");
  join->add_option("--server", a.join.server, "where the server listens")->required()->type_name("HOST:PORT");
  join->add_option("--data", a.join.data, "this client's own rows")->type_name("FILE");
  join->add_option("--config", a.join.config, "for demos and tests: the configuration whose own split is used")
      ->type_name("FILE");
  join->add_option("--client", a.part, "which part of it, from 0")->type_name("I");
  join->add_option("--set", a.join.set, "with --config, key=value: overrides a key; may be repeated")
      ->allow_extra_args(false)
      ->type_name("KEY=VALUE");
  join->add_option("--name", a.join.name, "with --insecure: who this is")->type_name("NAME");
  join->add_option("--state", a.join.state, "folder for the secret seed and what a restart needs [pollen-state-NAME]")
      ->type_name("DIR");
  join->add_option("--out", a.join.out, "folder for the draws that a server with --share-draws sends at the end")
      ->type_name("DIR");
  join->add_option("--max-rounds", a.max_rounds, "answer no more rounds than this")->type_name("N");
  join->add_option("--max-epsilon", a.max_epsilon, "stop before the round that would exceed this epsilon (fa-ld)")
      ->type_name("E");
  join->add_option("--min-rows", a.min_rows, "refuse with fewer training rows than this")->type_name("N");
  join->add_option("--allow", a.join.samplers, "a sampler that is allowed; may be repeated [any]")
      ->allow_extra_args(false)
      ->type_name("SAMPLER");
  join->add_option("--give-up", a.give_up, "seconds without a server after which to stop [never]")
      ->type_name("SECONDS");
  join->add_flag("--dry-run", a.join.dry_run, "print what would be sent under the server's configuration, and leave");
  join->add_flag("--quiet", a.join.quiet, "no news on stderr");
  add_wire(*join, a.join.wire, a.join.log_format);
}

}  // namespace

void add_commands(CLI::App& app, Arguments& a) {
  add_run(app, a);
  add_plan(app, a);
  add_predict(app, a);
  add_convert(app, a);
  add_report(app, a);
  add_keys(app, a);
  add_serve(app, a);
  add_join(app, a);
  add_others(app, a);
}

}  // namespace pollen::app
