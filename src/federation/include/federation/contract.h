// The contract between a site and a study: what this site would compute, and every kind of question that the study's
// configuration needs, with the phase in which it may come and an upper bound on how often. A client answers what its
// contract says and refuses everything else (docs/federation.md). A contract follows from the configuration and from
// the names in this site's own file alone, so that `pollen join --dry-run` and `pollen join` make the same one.
//
//   const Contract contract(servers_config(text), {.facts = column_facts(file, config.data, target_of(config))});
//   replace_file("contract.toml", contract.text());
//   contract.digest();                                     // what --contract-hash names
//
// A value; reading it is thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/sha256.h"
#include "pollen/config.h"
#include "pollen/data.h"
#include "pollen/transport.h"

namespace pollen {

// Questions belong to set-up, which ends with the first round that the client takes part in, or to the rounds.
enum class Phase : std::uint8_t { set_up, rounds };
inline constexpr std::size_t kPhases = 2, kKinds = static_cast<std::size_t>(Query::What::scores) + 1;

const char* name_of(Phase phase);
const char* name_of(Query::What what);  // as contract.toml and refusals call a question, such as "warm-up-gradient"

// What this site adds to the study.
struct SiteTerms {
  std::optional<ColumnFacts> facts =
      {};                       // the names in its own file; empty if it has a part of the configuration's data
  bool curvature = true;        // whether it answers questions about its whole Hessian
  std::string model_file = {};  // the SHA-256 of the model's file, which the site names itself; empty without one
  std::string batch = {};       // how many rows a gradient takes, in words, as the study's defaults have it
};

class Contract {
 public:
  Contract() = default;
  // Leaves out of the configuration what is none of a client's business: paths, the simulated network, and where the
  // server writes its output.
  Contract(Config study, SiteTerms terms);

  const Config& study() const { return study_; }
  const SiteTerms& terms() const { return terms_; }
  // How many questions of a kind this study can need in a phase. 0: it needs none.
  std::int64_t most(Phase phase, Query::What what) const {
    return most_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(what)];
  }
  // Rounds, or messages of local steps. Exact kernels have none: their rounds are questions.
  std::int64_t rounds() const;
  std::int64_t answers() const;  // rounds and questions together
  // Whether a client may be left out of rounds, so that questions of the rounds may come before its first one.
  bool partial() const;

  std::string text() const;        // contract.toml, the same bytes for the same contract
  std::string study_text() const;  // the part that all sites of the study have in common
  std::string digest() const { return hex(sha256(text())); }
  std::string study_digest() const { return hex(sha256(study_text())); }

 private:
  void count_set_up();
  void count_rounds();
  std::int64_t& most_of(Phase phase, Query::What what) {
    return most_[static_cast<std::size_t>(phase)][static_cast<std::size_t>(what)];
  }

  Config study_;
  SiteTerms terms_;
  std::array<std::array<std::int64_t, kKinds>, kPhases> most_ = {};
};

// Returns where two contracts' texts differ, as words for an error, or an empty text if they are the same.
std::string contract_difference(const std::string& ours, const std::string& theirs);

}  // namespace pollen
