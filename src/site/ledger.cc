#include "site/ledger.h"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

#include "base/file.h"
#include "base/secret.h"
#include "base/sha256.h"
#include "ledger_text.h"

namespace pollen {

namespace fs = std::filesystem;

namespace {

constexpr mode_t kOwner = 0600;
constexpr std::size_t kKeyDigits = 64;

// Throws ConfigError if others than the owner may read the file.
void check_mode(const std::string& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0) io_failure(path, "look at", errno);
  if ((facts.st_mode & 077U) != 0)
    throw ConfigError(path, fmt::format("found the mode {:04o}, accepted: 0600 (chmod 600)", facts.st_mode & 07777U));
}

std::string now() { return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr))); }

// A file open for appending, which only the owner may read.
class AppendedFile {
 public:
  explicit AppendedFile(const std::string& path)
      : path_(path), descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, kOwner)) {
    if (descriptor_ < 0) io_failure(path_, "open for writing", errno);
  }
  ~AppendedFile() { ::close(descriptor_); }
  AppendedFile(const AppendedFile&) = delete;
  AppendedFile& operator=(const AppendedFile&) = delete;

  void cut(std::size_t bytes) {
    if (::ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0) io_failure(path_, "cut", errno);
  }
  // Appends `text` to `bytes` bytes and waits for the disk. If that fails, the file is cut to what it was.
  void add(std::string_view text, std::size_t bytes) {
    for (std::string_view left = text; !left.empty();) {
      const ssize_t done = ::write(descriptor_, left.data(), left.size());
      if (done < 0 && errno == EINTR) continue;
      if (done < 0) {
        const int error = errno;
        cut(bytes);
        io_failure(path_, "write", error);
      }
      left.remove_prefix(static_cast<std::size_t>(done));
    }
    if (::fdatasync(descriptor_) != 0) io_failure(path_, "write", errno);
  }

 private:
  std::string path_;
  int descriptor_;
};

}  // namespace

// Waits until no other process works on the ledger.
class Ledger::Lock {
 public:
  explicit Lock(const std::string& folder) {
    const std::string path = folder + "/lock";
    descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kOwner);
    if (descriptor_ < 0) io_failure(path, "open", errno);
    while (::flock(descriptor_, LOCK_EX) != 0)
      if (errno != EINTR) io_failure(path, "lock", errno);
  }
  ~Lock() { ::close(descriptor_); }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;

 private:
  int descriptor_ = -1;
};

std::string default_ledger_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  const std::string state = variable("XDG_STATE_HOME"), home = variable("HOME");
  if (fs::path(state).is_absolute()) return state + "/pollen/ledger";
  if (fs::path(home).is_absolute()) return home + "/.local/state/pollen/ledger";
  throw ConfigError("--ledger", "needed where neither XDG_STATE_HOME nor HOME names a folder: the ledger's folder");
}

LedgerText read_ledger(const std::string& folder) {
  const std::string file = folder + "/ledger";
  return parse_ledger(read_text(file), file);
}

Ledger::Ledger(std::string folder) : folder_(std::move(folder)) {
  std::error_code ignored;
  fs::create_directories(fs::path(folder_).parent_path(), ignored);
  if (::mkdir(folder_.c_str(), 0700) != 0 && errno != EEXIST) io_failure(folder_, "make the folder", errno);
  const Lock lock(folder_);
  read_key();
  catch_up();
}

void Ledger::read_key() {
  const std::string path = folder_ + "/key";
  if (!fs::exists(path)) {
    const std::string part = temporary_name(path);
    fs::remove(part);
    AppendedFile(part).add(secret_name() + secret_name() + "\n", 0);
    fs::rename(part, path);
    sync_folder(folder_);
  }
  check_mode(path);
  key_ = read_text(path);
  while (key_.ends_with('\n')) key_.pop_back();
  if (key_.size() != kKeyDigits || key_.find_first_not_of("0123456789abcdef") != std::string::npos)
    throw ConfigError(path, fmt::format("found no key, accepted: {} of 0-9 and a-f, as pollen made it", kKeyDigits));
}

void Ledger::catch_up() {
  if (!fs::exists(file())) {
    if (text_.lines > 0) throw ConfigError(file(), "found no file where this process has a ledger, accepted: the file");
    text_ = parse_ledger("", file());
    return;
  }
  check_mode(file());
  if (text_.lines > 0 && fs::file_size(file()) == text_.whole) return;
  const std::string text = read_text(file());
  LedgerText now = parse_ledger(text, file());
  if (now.whole < text.size()) AppendedFile(file()).cut(now.whole);
  if (now.lines < text_.lines)
    throw ConfigError(file(), fmt::format("found {} lines where {} were, accepted: a ledger that is only appended to",
                                          now.lines, text_.lines));
  text_ = std::move(now);
}

std::uint64_t Ledger::row(std::string_view text) const {
  constexpr std::size_t kBytes = 8;
  const Digest digest = hmac_sha256(key_, text);
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kBytes; ++i) bits = bits << 8U | digest[i];
  return bits;
}

std::string Ledger::rows_by(const std::string& what) const {
  constexpr std::size_t kShort = 16;
  const std::string name = what.starts_with("whole rows") ? "whole rows" : what;
  return fmt::format("{} ({})", name, hex(hmac_sha256(key_, what)).substr(0, kShort));
}

bool Ledger::goes_on(const LedgerRun& run) {
  const LedgerRun* known = find_run(text_.runs, run.run, run.data);
  return known != nullptr && known->contract == run.contract && known->rows == run.rows;
}

std::vector<Finding> Ledger::findings(const Policy& policy, const LedgerRun& run, const Leave& leave) {
  catch_up();
  if (goes_on(run)) return {};
  if (const LedgerRun* known = find_run(text_.runs, run.run, run.data))
    return {{"runs_per_data",
             fmt::format("the run {}, which began at {} {}", known->run, known->began,
                         known->contract == run.contract ? "over other rows of this file" : "under another contract"),
             "the study that it began with"}};
  return compare_runs(policy, text_.runs, run, leave);
}

std::vector<Finding> Ledger::against(const Policy& policy, const LedgerRun& run, const Leave& leave) {
  const Lock lock(folder_);
  return findings(policy, run, leave);
}

std::vector<Finding> Ledger::begin(const Policy& policy, LedgerRun run, const Leave& leave) {
  const Lock lock(folder_);
  std::vector<Finding> found = findings(policy, run, leave);
  if (!found.empty() || goes_on(run)) return found;
  run.began = now();
  if (const LedgerRun* before = find_run(text_.runs, leave.run, leave.data);
      before && takes_the_place(run, *before, leave))
    run.instead = before->run, run.instead_data = before->data;
  append(entry_of(run));
  return {};
}

void Ledger::count(const LedgerCounts& counts, std::optional<std::int64_t> entries) {
  const Lock lock(folder_);
  catch_up();
  const std::int64_t found = this->entries(counts.run, counts.data);
  if (entries && found != *entries)
    throw ConfigError(file(), fmt::format("found {} entries of answers in the run {} where this client has made {}; "
                                          "accepted: one client for a run over these data",
                                          found, counts.run, *entries));
  append(entry_of(counts, now()));
}

LedgerCounts Ledger::counts(const std::string& run, const std::string& data) const {
  for (const LedgerRun& each : text_.runs)
    if (each.run == run && each.data == data) return {run, each.questions, each.rounds, each.epsilon, each.ended, data};
  return {.run = run, .data = data};
}

std::int64_t Ledger::entries(const std::string& run, const std::string& data) const {
  for (const LedgerRun& each : text_.runs)
    if (each.run == run && each.data == data) return each.entries;
  return 0;
}

void Ledger::append(const std::string& entry) {
  const bool first = text_.lines == 0;
  const std::string line = line_of(text_.head, entry);
  AppendedFile(file()).add(line, text_.whole);
  if (first) sync_folder(folder_);
  take_lines(line, file(), text_);
}

}  // namespace pollen
