// The commands of pollen, each in a file of its own, and their options. A command prints its results to stdout, reports
// failures by exceptions and returns the exit code. Commands are called from the main thread, one per process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollen::app {

// The options of --dashboard, a page that shows the run while it is going on.
struct DashboardOptions {
  std::optional<int> port;  // none: no dashboard; 0: any free port
  std::string address = "127.0.0.1";
};

struct RunRequest {
  std::string config;            // empty: the built-in problem or, with resume, the folder's configuration
  std::vector<std::string> set;  // "key=value"
  std::string out;               // empty: output.dir
  int threads = 0;               // 0: as many as are worthwhile
  double checkpoint_every = 10;  // seconds
  bool resume = false;
  bool force = false;  // replaces an earlier run in the folder, which is otherwise renamed
  bool quiet = false;
  DashboardOptions dashboard = {};
};

struct PlanOptions {
  std::string config;  // empty: the built-in problem
  std::vector<std::string> set;
  std::optional<double> precision, round_price;
  bool exact = false;
  bool recommend = false;
  std::optional<double> within;  // with recommend: per cent of a posterior sd
  bool json = false;
};

struct PredictOptions {
  std::string folder, data;
  std::string client;  // a client of the run; not together with new_client
  bool new_client = false;
  std::string observed;  // a file with the new client's own rows
  double interval = 0.9;
  bool json = false;
  std::int64_t draws = 0;  // the most draws to use; 0: a thousand
  bool score = false;
  std::string labels;  // for idx files: the label file, if its name cannot be guessed
  std::vector<std::string> set;
};

struct SummaryOptions {
  std::string folder;
  bool json = false, sparkline = false;
};

struct ConvertOptions {
  std::string in, out;  // in: a config (.toml), a data file or a built-in name; with check, a store
  std::vector<std::string> set;
  bool check = false;
};

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;  // empty: report.html in the first folder
};

struct KeysOptions {
  std::string folder, server;
  std::vector<std::string> clients, addresses;  // each entry may hold several, separated by commas
  std::vector<std::string> revoked;             // names whose certificates the authority revokes
  int days = 825;
};

// Options that both ends of a federation share.
struct WireOptions {
  std::string ca, cert, key;
  int insecure = 0;  // how often --insecure was given; twice is needed for a non-loopback address
  bool shared_seed = false;
};

struct ServeOptions {
  RunRequest run;
  std::string listen;
  std::string state;  // empty: the run's folder
  WireOptions wire;
  std::string log_format = "text";
  std::string metrics;  // HOST:PORT for Prometheus and /healthz; empty: no metrics
  bool share_draws = false;
  std::string crl;                          // file with the revocation list; empty: none
  std::vector<std::string> without;         // names of clients that may not take part
  std::vector<std::string> accept_replies;  // names of clients whose replies may be absurdly large
};

struct JoinOptions {
  std::string server;
  std::string data;
  std::string config;
  std::vector<std::string> set;
  std::int64_t part = -1;
  std::string name, state;
  std::string out;                      // folder for the draws that a server shares; empty: they are ignored
  std::string contract, contract_hash;  // a file of --dry-run, or its SHA-256; empty: the first study is pinned
  std::string model_file;
  WireOptions wire;
  std::string policy;  // file; empty: the defaults
  bool trust_server = false;
  std::string ledger;  // folder; empty: the default
  // Shortcuts for keys of the policy. Absent ones leave the policy as it is.
  std::optional<std::int64_t> max_rounds, min_rows;
  std::optional<double> max_epsilon;
  std::vector<std::string> samplers;
  double give_up = 0;  // seconds without a server before it gives up; 0: never
  bool dry_run = false, quiet = false, no_hessian = false, new_run = false;
  std::string log_format = "text";
};

enum Exit { kDone = 0, kFailed = 1, kWrongInput = 2, kStopped = 130 };

int run_command(const RunRequest& request);
int summary_command(const SummaryOptions& options);
int compare_command(const std::string& folder, const std::string& reference);
int plan_command(const PlanOptions& options);
int recommend_command(const PlanOptions& options);  // plan --recommend
int predict_command(const PredictOptions& options);
int data_command(const std::string& config, const std::vector<std::string>& set);
int convert_command(const ConvertOptions& options);
int report_command(const ReportOptions& options);
struct ListOptions {
  std::string what;       // "samplers", "keys", ...
  std::string narrow;     // for keys: a section or a key
  bool markdown = false;  // for keys: in the format of docs/configuration.md
};
std::vector<std::string> list_names();
int list_command(const ListOptions& options);
void list_keys(const ListOptions& options);
int keys_command(const KeysOptions& options);
int version_command();
int serve_command(const ServeOptions& options);
int join_command(const JoinOptions& options);
struct LedgerOptions {
  std::string folder;  // empty: the default
  bool json = false;
};
int ledger_command(const LedgerOptions& options);

// Leaves the MPI job under mpirun, after all output was written. It does nothing if run_command joined no job.
void leave_ranks();

bool has_tls();   // whether this build has TLS and thus pollen keys
bool has_grpc();  // whether this build has gRPC and thus pollen serve and join

// Parses the command line and runs the command. Throws ConfigError if the command line is wrong.
int command_line(int argc, const char* const* argv);

}  // namespace pollen::app
