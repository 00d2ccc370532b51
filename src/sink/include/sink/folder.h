// The folder of a run's output files, its lock, and the rules for a folder that holds an earlier run.
//
// A folder belongs to pollen if it holds a file with pollen's marker (config.toml, checkpoint or summary.json as a run
// writes them) and no file other than those a run leaves. Such a folder is renamed when another run begins in its
// place; it is emptied only if the user asks for that, and then only files with these names are removed.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"

namespace pollen::sink {

class RunFolder {
 public:
  enum class Earlier { rename, replace };  // what happens to an earlier run in the folder

  explicit RunFolder(std::string path);

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
  bool holds_run() const;
  // Reserves a folder that holds a run for this process, until the last copy of this object is gone. Does nothing if it
  // holds none. Throws ConfigError if another process works in it.
  void lock();
  void release() { lock_.reset(); }  // gives the lock back early
  // Makes and locks the folder, and writes config.toml with the marker. Returns where an earlier run was moved to: the
  // first free of DIR-1, DIR-2 and so on; or "" if there was none or it was replaced.
  std::string begin(const std::string& config_toml, Earlier earlier = Earlier::rename);

 private:
  std::vector<std::string> entries() const;
  void reserve();
  void make_and_reserve();
  std::string move_away();
  void empty() const;

  std::string path_;
  std::shared_ptr<const FolderLock> lock_;
};

// True for names that a run leaves, such as "draws-3.csv" and "summary.json".
bool is_run_file(const std::string& name);
const char* config_marker();  // the first line of DIR/config.toml

}  // namespace pollen::sink
