// Which run and which contract a participant takes part in. Limits belong to the data file, not to the name of a run,
// so that a server cannot begin them anew under another name.
#include <fmt/format.h>

#include <utility>

#include "participant_parts.h"
#include "study.h"

namespace pollen {

namespace {

// Every name has a file here, so that a server may not give a run any number of them.
constexpr std::uint64_t kMostNames = 100;

std::string batch_of(Config study, Index clients) {
  std::vector<std::string> warnings;
  const Recipe recipe = complete(study, clients, kAnyDimension, warnings);
  if (recipe.batch.all()) return "all rows";
  return recipe.batch.count ? fmt::format("{} rows", *recipe.batch.count)
                            : fmt::format("{} of the rows", *recipe.batch.fraction);
}

}  // namespace

Contract contract_of(const ParticipantOptions& options, const Config& study, Index clients) {
  SiteTerms terms{.curvature = options.curvature};
  if (options.part < 0) {
    terms.batch = batch_of(study, clients);
    DataSpec whole = study.data;
    whole.min_cell = 0;  // which rows are held out is secret, and what is pooled follows from it
    terms.facts = column_facts(options.data, whole, target_of(study));
  }
  if (!study.model.file.empty()) terms.model_file = print_of_file(study.model.file);
  return {study, std::move(terms)};
}

Contract contract_for(const ParticipantOptions& options, const Config& study, Index clients) {
  if (options.part < 0) look_at_study(options, study, {0, clients, options.shared_seed ? study.seed : 0});
  return contract_of(options, study, clients);
}

std::string other_than_agreed(const ParticipantOptions& options, const Contract& contract) {
  if (!options.contract.empty())
    if (const std::string other = contract_difference(options.contract, contract.text()); !other.empty())
      return "--contract: " + other;
  if (options.contract_hash.empty() || options.contract_hash == contract.digest()) return {};
  return fmt::format("--contract-hash: found {}, accepted: {}", contract.digest(), options.contract_hash);
}

std::string Participant::Parts::print_of_data() const {
  return options.part < 0 ? print_of_file(options.data) : fmt::format("part {}", options.part);
}

// Decides what this client does with the run of that name under that contract, before anything that depends on its file
// is sent, and changes nothing on the disk. A refusal has been sent when it returns Agreement::refused.
Agreement Participant::Parts::decide(const Contract& agreed, const std::string& name, const Send& send) {
  if (const std::string other = other_than_agreed(options, agreed); !other.empty()) {
    refuse(send, fmt::format("the study is another one: {}", other), "its site has agreed to another contract");
    return Agreement::refused;
  }
  if (const auto& most = options.policy.max_rounds; most && *most < agreed.answers())
    options.tell({"policy",
                  fmt::format("this study may need up to {} answers, questions of set-up included, and max_rounds = {} "
                              "ends it before",
                              agreed.answers(), *most),
                  {},
                  {},
                  Notice::Level::warning});
  if (options.part < 0) data_print = print_of_data();  // the file may have changed since this process began
  return file.knows(name) ? decide_known(agreed, name, send) : decide_new(agreed, send);
}

// A run that this client has begun goes on with the same rows, because the server cannot notice others and the chain
// would have no defined law with them, and under the same contract.
Agreement Participant::Parts::decide_known(const Contract& agreed, const std::string& name, const Send& send) {
  if (state().run != name) file.load(name);
  // Before its seat a client may come with another file, such as one that was put right.
  if (state().data != data_print && state().weight == 0) return decide_new(agreed, send);
  if (state().data != data_print)
    throw ConfigError("--data", fmt::format("found \"{}\", whose rows are not those this client began the run with; "
                                            "accepted: the same file as then",
                                            options.data));
  if (const std::string other = contract_difference(file.contract(), agreed.text()); !other.empty()) {
    refuse(send, fmt::format("the study is not the one that this run began with: {}", other),
           "its configuration is not the one this run began with");
    return Agreement::refused;
  }
  if (const std::string& later = file.rounds_under(); !later.empty() && later != name) {
    refuse(send,
           fmt::format("the server goes back to the name {} of a run whose rounds have begun under its later name "
                       "{}; accepted: the later one",
                       name, later));
    return Agreement::refused;
  }
  return Agreement::goes_on;
}

// Pins are for files that outlive a test.
bool Participant::Parts::pins() const { return options.part < 0 && !options.shared_seed; }

// Whether a further run may begin over data that were in one. Where a policy allows several, the ledger has counted
// them.
bool Participant::Parts::may_begin_another_run() const {
  return options.new_run || (ledger && options.policy.runs_per_data > 1);
}

Agreement Participant::Parts::decide_new(const Contract& agreed, const Send& send) {
  if (!pins() || !file.bound(data_print)) return Agreement::begins;
  if (state().data != data_print) file.open(data_print);
  if (contract_difference(file.contract(), agreed.text()).empty() && !file.counts().began()) {
    if (state().names < kMostNames) return Agreement::renamed;
    refuse(send, fmt::format("the server has given this run {} names before its first round; accepted: one that lasts",
                             kMostNames + 1));
    return Agreement::refused;
  }
  return may_begin_another_run() ? Agreement::begins_again : Agreement::needs_consent;
}

void Participant::Parts::refuse_further_run(const Contract& agreed, const std::string& name, const Send& send) {
  const std::string other = contract_difference(file.contract(), agreed.text());
  const std::string why =
      fmt::format("{} has taken part in a run already{}; a further run over the same data needs --new-run",
                  options.data, other.empty() ? "" : fmt::format(", of another study ({})", other));
  const std::string told = "its data have taken part in another run, and its site has not allowed a further one";
  if (in_another_run(name))
    refuse_for_now(send, why, told);
  else
    refuse(send, why, told);
}

// Whether this client is in the middle of another run over its data. The server that begins this one may have been
// started with the wrong state, so the client waits for the right one.
bool Participant::Parts::in_another_run(const std::string& name) const {
  const ClientState& mine = file.state();
  return mine.run != name && mine.data == data_print && file.counts().began() && !mine.over;
}

// Writes what was decided to the disk.
void Participant::Parts::take_up(Agreement agreement, const Contract& agreed, const std::string& name,
                                 std::uint64_t secret) {
  if (agreement == Agreement::goes_on) return file.bind();
  if (agreement == Agreement::renamed) return file.go_on_as(name);
  file.begin(name, data_print, agreed.text(), secret);
  if (agreement == Agreement::begins_again) {
    options.new_run = false;  // one run for one --new-run
    options.tell({"pinned", fmt::format("--new-run: {} takes part in a further run, under the contract {}",
                                        options.data, agreed.digest())});
  } else if (pins() && options.contract.empty() && options.contract_hash.empty()) {
    options.tell({"pinned", fmt::format("trust on first use: from now on {} takes part in this study alone, under the "
                                        "contract {}; --new-run allows another",
                                        options.data, agreed.digest())});
  }
}

}  // namespace pollen
