// The commands, one file each. They print results to stdout, throw what goes wrong, and return the exit code.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace pollen::app {

// --dashboard: a page that shows the run while it goes on.
struct DashboardOptions {
  std::optional<int> port;  // none: no dashboard; 0: any free one
  std::string address = "127.0.0.1";
};

struct RunRequest {
  std::string config;            // empty: the built-in problem, or with resume the folder's own configuration
  std::vector<std::string> set;  // "key=value"
  std::string out;               // empty: output.dir
  int threads = 0;               // 0: as many as pay off
  double checkpoint_every = 10;  // seconds
  bool resume = false;
  bool quiet = false;
  DashboardOptions dashboard = {};
};

struct PlanOptions {
  std::string config;  // empty: the built-in problem
  std::vector<std::string> set;
  std::optional<double> precision, round_price;
  bool json = false;
};

struct PredictOptions {
  std::string folder, data;
  std::string client;  // a client of the run, or
  bool new_client = false;
  std::string observed;  // a new client's own rows
  double interval = 0.9;
  bool json = false;
  std::int64_t draws = 0;  // at most; 0: a thousand
  bool score = false;
  std::string labels;  // idx: the label file, where its name does not tell
  std::vector<std::string> set;
};

struct SummaryOptions {
  std::string folder;
  bool json = false, sparkline = false;
};

struct ConvertOptions {
  std::string in, out;  // in: a config (.toml), a file of data or a built-in name; with check a store
  std::vector<std::string> set;
  bool check = false;
};

struct ReportOptions {
  std::vector<std::string> folders;
  std::string out;  // empty: report.html in the first
};

struct KeysOptions {
  std::string folder, server;
  std::vector<std::string> clients, addresses;  // each may be several with commas between them
  int days = 825;
};

// Of both ends of a federation.
struct WireOptions {
  std::string ca, cert, key;
  int insecure = 0;  // how often it was said: twice for an address that is not this machine's own
  bool shared_seed = false;
};

struct ServeOptions {
  RunRequest run;  // config, set, out, resume, quiet
  std::string listen;
  std::string state;  // empty: the run's folder
  WireOptions wire;
  std::string log_format = "text";
  std::string metrics;  // HOST:PORT for Prometheus and /healthz; empty: none
  bool share_draws = false;
};

struct JoinOptions {
  std::string server;
  std::string data;
  std::string config;
  std::vector<std::string> set;
  std::int64_t part = -1;
  std::string name, state;
  std::string out;  // for the draws that a server shares; empty: they are not taken
  WireOptions wire;
  std::int64_t max_rounds = 0, min_rows = 1;
  double max_epsilon = 0;
  std::vector<std::string> samplers;
  double give_up = 0;  // seconds without a server; 0: never
  bool dry_run = false, quiet = false;
  std::string log_format = "text";
};

enum Exit { kDone = 0, kFailed = 1, kWrongInput = 2, kStopped = 130 };

int run_command(const RunRequest& request);
int summary_command(const SummaryOptions& options);
int compare_command(const std::string& folder, const std::string& reference);
int plan_command(const PlanOptions& options);
int predict_command(const PredictOptions& options);
int data_command(const std::string& config, const std::vector<std::string>& set);
int convert_command(const ConvertOptions& options);
int report_command(const ReportOptions& options);
struct ListOptions {
  std::string what;       // "samplers", "keys", ...
  std::string narrow;     // keys: a section or a key
  bool markdown = false;  // keys: as docs/configuration.md
};
std::vector<std::string> list_names();
int list_command(const ListOptions& options);
int keys_command(const KeysOptions& options);
int version_command();
int serve_command(const ServeOptions& options);
int join_command(const JoinOptions& options);

// Under mpirun: ends this process's part in the job, once everything is said. Nothing where run_command joined none.
void leave_ranks();

bool has_tls();   // whether this build has TLS, and with it pollen keys
bool has_grpc();  // and pollen serve and join

// Parses and dispatches; ConfigError where the command line is wrong. The only file that knows CLI11.
int command_line(int argc, const char* const* argv);

}  // namespace pollen::app
