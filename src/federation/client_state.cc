#include "client_state.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

#include "base/secret.h"
#include "base/sha256.h"
#include "pollen/archive.h"
#include "pollen/errors.h"

namespace pollen {

namespace {

constexpr const char* kAfresh = "another --state folder with --new-run begins afresh";
constexpr Seal kIndexSeal{"POLLENCL", 5, "a client's state", kAfresh};
constexpr Seal kRunSeal{"POLLENCR", 4, "a client's state of a run", kAfresh};
constexpr Seal kAnswersSeal{"POLLENQC", 2, "a client's record of its answers", kAfresh};
constexpr const char* kIndex = "client.state";

void archive(Archive& a, ClientState& s) {
  a.fields(s.run, s.entered, s.seed, s.data, s.committed, s.pending, s.over, s.has_client, s.client, s.reply, s.moved,
           s.content, s.reached, s.names, s.step.size, s.step.smoothness, s.step.convexity, s.weight, s.place, s.layout,
           s.scaling, s.coordinates);
}

// The name of a run's file. Servers choose the names of runs, so these do not become names of files.
std::string file_of(const std::string& run, const char* kind) {
  return fmt::format("run-{}.{}", hex(sha256(run)).substr(0, 16), kind);
}

}  // namespace

std::string print_of_file(const std::string& path) { return hex(sha256(read_text(path))); }

ClientStateFile::ClientStateFile(std::string folder) : folder_(std::move(folder)), instance_(secret_number()) {
  if (folder_.empty()) return;
  lock_.emplace(folder_, 0700);
  if (!lock_->held()) throw ConfigError("--state", fmt::format("found \"{}\", which another client is using", folder_));
  if (has(kIndex))
    read_index();
  else
    write_index();
}

bool ClientStateFile::has(const std::string& file) const {
  return folder_.empty() ? memory_.contains(file) : std::filesystem::exists(folder_ + "/" + file);
}

void ClientStateFile::write_sealed(const std::string& file, const Seal& seal, const Bytes& body) {
  if (folder_.empty()) {
    memory_[file] = body;
    return;
  }
  SealedFile out(folder_ + "/" + file, seal, Readers::owner);
  out.write(body);
  out.commit();
}

template <class Fields>
void ClientStateFile::read_fields(const std::string& file, const Seal& seal, const Fields& fields) const {
  const std::string path = folder_ + "/" + file;
  const auto read = seal.letters == kRunSeal.letters ? read_journal : read_sealed;
  const Bytes body = folder_.empty() ? memory_.at(file) : read(path, seal);
  try {
    Archive a(body);
    fields(a);
    a.finish();
  } catch (const WireError& error) {
    seal.refuse(path, fmt::format("fields that cannot be read ({})", error.what()));
  }
}

void ClientStateFile::write_index() {
  Archive a;
  std::vector<std::string> data, runs;
  for (const auto& [print, run] : bound_) data.push_back(print), runs.push_back(run);
  a.fields(instance_, latest_, data, runs);
  write_sealed(kIndex, kIndexSeal, a.take());
}

void ClientStateFile::read_index() {
  read_fields(kIndex, kIndexSeal, [&](Archive& a) {
    std::vector<std::string> data, runs;
    a.fields(instance_, latest_, data, runs);
    if (data.size() != runs.size())
      throw WireError(fmt::format("found {} data files and {} runs", data.size(), runs.size()));
    for (std::size_t i = 0; i < data.size(); ++i) bound_[data[i]] = runs[i];
  });
}

void ClientStateFile::open(const std::string& data) {
  const auto run = bound_.find(data);
  const std::string name = run == bound_.end() ? latest_ : run->second;
  if (!name.empty()) load(name);
}

bool ClientStateFile::knows(const std::string& run) const { return has(file_of(run, "state")); }

void ClientStateFile::load(const std::string& run) {
  read_fields(file_of(run, "state"), kRunSeal, [&](Archive& a) { archive(a, state_); });
  read_fields(file_of(state_.entered, "answers"), kAnswersSeal, [&](Archive& a) {
    a.fields(contract_, rounds_under_, ledger_entries_);
    counts_.archive(a);
  });
}

void ClientStateFile::bind() {
  if (latest_ == state_.run && bound(state_.data) && bound_.at(state_.data) == state_.run) return;
  latest_ = bound_[state_.data] = state_.run;
  write_index();
}

void ClientStateFile::begin(const std::string& run, const std::string& data, const std::string& contract,
                            std::uint64_t seed) {
  state_ = {};
  state_.run = state_.entered = run;
  state_.data = data;
  state_.seed = seed;
  contract_ = contract;
  rounds_under_.clear();
  ledger_entries_ = 0;
  counts_ = {};
  write_run();
}

void ClientStateFile::go_on_as(const std::string& run) {
  ClientState fresh;
  fresh.run = run;
  fresh.entered = state_.entered;
  fresh.data = state_.data;
  fresh.seed = state_.seed;
  fresh.names = state_.names + 1;
  state_ = std::move(fresh);
  write_run();
}

void ClientStateFile::write_run() {
  if (!folder_.empty()) replace_file(folder_ + "/" + file_of(state_.run, "toml"), contract_);
  write_counts();
  write();
  bind();
}

// A client with a memory writes after every reply, so that its state is a journal.
void ClientStateFile::write() {
  Archive a;
  archive(a, state_);
  const std::string file = file_of(state_.run, "state"), path = folder_ + "/" + file;
  if (folder_.empty()) {
    memory_[file] = a.take();
    return;
  }
  if (!journal_ || journal_->path() != path) journal_ = std::make_unique<Journal>(path, kRunSeal, Readers::owner);
  journal_->write(a.take());
}

void ClientStateFile::write_counts() {
  Archive a;
  a.fields(contract_, rounds_under_, ledger_entries_);
  counts_.archive(a);
  write_sealed(file_of(state_.entered, "answers"), kAnswersSeal, a.take());
}

}  // namespace pollen
