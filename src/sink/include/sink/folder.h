// The folder of a run's output files, and the rules for replacing it.
//
// A folder belongs to pollen if it holds a file with pollen's marker (config.toml, checkpoint or summary.json as a run
// writes them) and no file other than those a run leaves. Only such a folder is ever replaced, and only files with
// these names are removed.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pollen::sink {

class RunFolder {
 public:
  explicit RunFolder(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string file(std::string_view name) const { return path_ + "/" + std::string(name); }
  std::string config() const { return file("config.toml"); }
  std::string checkpoint() const { return file("checkpoint"); }
  std::string spool() const { return file("draws.spool"); }
  std::string metrics() const { return file("metrics.csv"); }
  std::string summary() const { return file("summary.json"); }
  std::string encoder() const { return file("encoder.json"); }
  std::string clients() const { return file("clients"); }             // a folder with one file of draws per client
  std::string client_tables() const { return file("clients.json"); }  // who took part when, and the counts of labels

  // Throws ConfigError if the path holds anything that is not a run of pollen. Changes nothing.
  void check_free() const;
  // Makes the folder, or empties that of an earlier run, and writes config.toml with the marker.
  void begin(const std::string& config_toml) const;

 private:
  std::vector<std::string> entries() const;
  std::string path_;
};

// True for names that a run leaves, such as "draws-3.csv" and "summary.json".
bool is_run_file(const std::string& name);
const char* config_marker();  // the first line of DIR/config.toml

}  // namespace pollen::sink
