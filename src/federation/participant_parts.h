// The parts of a client's side: its state on the disk, the state of a Participant, and the checks of what a server
// asks. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <random>
#include <string>

#include "base/secret.h"
#include "client_state.h"
#include "federation/contract.h"
#include "federation/federation.h"
#include "federation/plain.h"
#include "pollen/errors.h"
#include "pollen/recipe.h"
#include "pollen/transport.h"
#include "pollen/types.h"
#include "question_counts.h"
#include "round/local_segments.h"
#include "run/privacy_meter.h"
#include "site/ledger.h"
#include "study.h"
#include "wire/messages.h"

namespace pollen {

// What a client does with a run that a server names.
enum class Agreement {
  refused,
  begins,         // its data were in no run
  begins_again,   // its data were in one, and its site allows another
  needs_consent,  // its data were in one, and its site has not allowed another
  goes_on,        // it has begun this run
  renamed,        // a server that was started again before the first round has another name for it
};

// The state of a participant. Its set-up is in participant_setup.cc, its rounds are in participant_rounds.cc, and
// participant_contract.cc holds what a server asks against the contract. participant_agreement.cc decides which run
// and which contract that is.
struct Participant::Parts {
  explicit Parts(ParticipantOptions o) : options(std::move(o)), file(options.state), data_print(print_of_data()) {
    options.tell = in_plain_words(std::move(options.tell));
    if (!options.ledger.empty() && options.part < 0) ledger.emplace(options.ledger);
    file.open(data_print);
  }

  ParticipantOptions options;
  ClientStateFile file;
  std::string data_print;  // says what this client's rows are: the SHA-256 of its file, or which part of a split
  std::optional<Ledger> ledger;
  static constexpr std::int64_t kLedgerBlock = 1000;
  LedgerCounts entered, answered;  // what the ledger has of this run, and what was answered
  std::optional<Ended> ended;
  std::int64_t turns = 0;

  // These are known from the welcome on.
  std::string run;
  std::uint32_t index = 0;
  Index clients = 1;
  std::optional<Config> config;
  Contract contract;
  // These are known from set-up on.
  std::optional<ColumnFacts> own_columns;  // sent and not yet answered
  std::optional<Federation> data;
  std::optional<ColumnMoments> own_moments;  // as they were sent
  std::vector<std::string> own_names;        // of the columns that they are of
  std::optional<StatisticalProblem> problem;
  std::size_t part = 0;  // the index of this client's rows in the problem
  // These are known from the seat on.
  Recipe recipe;
  bool learning = false;                           // its code learns from counted replies
  std::optional<ScheduledSegments> schedule;       // of local steps, if the recipe has any
  bool step_known = false;                         // a broadcast has told the recipe's step
  std::shared_ptr<const Coordinates> coordinates;  // those that the run had before the server began again
  std::string coordinates_print = "none";          // the SHA-256 of those in which the client works now
  std::unique_ptr<PersonalSite> personal;          // of a model with latents
  std::unique_ptr<ClientHost> host;
  double weight = 1;
  Reply reply;
  bool reply_is_whole = false;  // the pending reply is in memory, not only on the disk
  struct Before {
    std::uint64_t committed, pending;
  };
  std::optional<double> most_epsilon;  // the limit that this client keeps to, if there is one
  std::optional<PrivacyMeter> meter;   // set if there is a limit
  std::optional<Before> before;        // the state before the last move, as long as the disk has not stored the move
  Workspace work;
  // Points at which few rows have a say in the answer.
  struct ThinPoints {
    bool watched = false;  // whether answers are exact, so that this matters
    std::int64_t looked = 0, found = 0, tell_at = 1;
    std::minstd_rand coins{static_cast<std::minstd_rand::result_type>(secret_number())};
  } thin_points;
  std::optional<SiteScores> own_scores;  // as they were answered last
  // The block of shared draws that is being received; the chains' parts arrive in turn.
  std::uint64_t first_draw = 0;
  std::uint32_t draws_chain = 0;
  Index draws_block = 0;

  ClientState& state() { return file.state(); }
  Client& client() { return host->clients().front(); }
  // The numbers of a message of one chain.
  Index dimension() const { return personal ? personal->work().dimension : problem->dimension(); }
  Index shown() const { return personal ? personal->learnt() : problem->dimension(); }  // the numbers of a draw
  std::uint64_t seed() const { return options.shared_seed ? config->seed : file.state().seed; }

  void stop(const Send& send, const std::string& why) {
    send(wire::encode(wire::Refusal{why, false}));
    ended = Ended{false, false, why};
  }

  // Refuses for good, and says why in this client's log and to the server.
  void refuse(const Send& send, const std::string& why) { refuse(send, why, why); }
  // The same, where the server is not to hear all of it.
  void refuse(const Send& send, const std::string& why, const std::string& told) {
    options.tell({"refused", why, {}, {}, Notice::Level::warning});
    stop(send, told);
  }
  // Refuses this server; another one may come at the same address.
  void refuse_for_now(const Send& send, const std::string& why, const std::string& told) {
    send(wire::encode(wire::Refusal{told, true}));
    ended = Ended{false, true, why + "; waiting for the server of the run that is not over"};
  }

  // participant_agreement.cc
  std::string print_of_data() const;
  Agreement decide(const Contract& agreed, const std::string& name, const Send& send);
  Agreement decide_known(const Contract& agreed, const std::string& name, const Send& send);
  Agreement decide_new(const Contract& agreed, const Send& send);
  void refuse_further_run(const Contract& agreed, const std::string& name, const Send& send);
  void take_up(Agreement agreement, const Contract& agreed, const std::string& name, std::uint64_t secret);
  bool pins() const;
  bool may_begin_another_run() const;
  bool in_another_run(const std::string& name) const;
  // participant_contract.cc
  static std::int64_t points_of(const wire::Ask& message, Query::What what);  // how many answers a question counts as
  bool may_answer(const wire::Ask& message, Query::What what, const Send& send);
  bool may_answer(const Verdict& verdict, const Send& send);
  // participant_points.cc
  bool may_answer_at(ConstPanelView points, std::optional<double> gradients, const Send& send);
  double gradients_of(const Broadcast& heard) const;
  Digest content_of(const wire::Ask& message) const;
  Digest content_of(const Broadcast& heard, std::span<const double> weights) const;
  void print_coordinates();
  static std::vector<std::uint64_t> numbers_of(const Digest& content) {
    const ShortDigest half = shortened(content);
    return {half.begin(), half.end()};
  }

  void welcomed(const wire::Welcome& message, const Send& send);
  void describe(const Send& send);
  void say_doubts(const std::vector<std::string>& doubts) const;
  void laid_out(const wire::Layout& message, const Send& send);
  void scaled(const wire::Scaling& message, const Send& send);
  void send_site(const Send& send);
  void make_recipe();
  void seated(const wire::Seat& message, const Send& send);
  std::string unscheduled(const LocalSegment& segment);
  void take_step(const Broadcast& heard);
  void acknowledged(const wire::Acknowledged& message);
  void settle_reply(const wire::Acknowledged& message);
  void check_presence(const Broadcast& heard, std::span<const double> weights) const;
  void tell_code_seed(const Send& send);
  std::uint64_t code_seed() const;
  void caught_up(const wire::CatchUp& message);
  void asked(const wire::Ask& message, const Send& send);
  bool begin_exact_round(const Send& send);
  static std::shared_ptr<const Coordinates> readable_coordinates(const wire::Ask& message);
  void take_coordinates(std::shared_ptr<const Coordinates> told);
  void broadcast(ByteView frame, const Send& send);
  // participant_scores.cc
  int bins() const;  // into which the confidences on test rows are sorted
  Table test_rows() const;
  void answer_scores(const wire::Ask& message, PanelView out);
  SiteScores score_draws(ConstPanelView states, PanelView out) const;
  SiteScores score_latents(const wire::Ask& message, PanelView out);
  void take_draws(const wire::Draws& message);
  void restore();
  void restore_reply();
  void move_back();
  void keep_client();
  void keep_reply(std::uint64_t turn, const Digest& content, const Bytes& frame);
  LedgerRun ledger_run(const SiteStudy& study, const std::string& name, const Contract& agreed) const;
  Leave leave() const;
  void enter_run(LedgerRun entry, const Leave& leave);
  void enter(const LedgerCounts& counts);
  void enter_answer(std::int64_t questions, std::int64_t rounds, std::optional<double> epsilon);
  void close_ledger(bool complete);
  std::optional<double> epsilon_of_block(const Broadcast& heard) const;
  void measure();
  std::optional<double> epsilon_after(std::uint64_t iterations) const;
  std::string beyond_limits(const Broadcast& heard) const;
  void need_fleet() const {
    if (!host) throw WireError("message: found one of a round before this client's seat, accepted: after set-up");
  }
};

// Check what a server asks a client before anything is computed or memory is taken.
struct QuestionLimits {
  const Recipe* recipe = nullptr;
  Index dimension = 1, chains = 1, clients = 1;
  bool warm_up = false;  // true if the configuration has a warm-up
  Index scores = 0;      // the numbers of an answer about scores
  const PersonalSite* personal = nullptr;
};

Query::What check_question(const wire::Ask& ask, const QuestionLimits& limits);  // throws WireError
void check_numbers(ConstPanelView values, const char* where);  // throws WireError if a number is not finite

// Throws WireError if a segment has more steps than longest_segment() allows, which is the limit that servers keep to.
void check_segment(const Broadcast& heard, Index dimension, Index chains);

}  // namespace pollen
