#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "pollen/version.h"
#include "sink/draw_cost.h"
#include "sink/report.h"
#include "sink/text.h"
#include "sink/verdict.h"

namespace pollen::sink {

namespace {

std::string problem(const Summary& s) {
  const RunFacts& f = s.facts;
  std::string text = fmt::format("{} · {} model", f.sampler, f.model);
  if (!f.source.empty() && f.train_rows > 0) text += fmt::format(" · {}", f.source.substr(f.source.rfind('/') + 1));
  text += fmt::format("\n  {} clients", f.clients);
  if (f.train_rows > 0)
    text += fmt::format(" · {} training rows · {} test rows", grouped(f.train_rows), grouped(f.test_rows));
  text += fmt::format(" · {} parameters\n", f.dimension());
  text += fmt::format("  {} chain{} × {} draws · {} iterations, burn-in {}, thin {} · step {}\n", f.chains,
                      f.chains == 1 ? "" : "s", grouped(s.draws), grouped(f.done), grouped(f.burn_in), f.thin,
                      f.step > 0 ? short_number(f.step) : "of its own");
  return text;
}

// Says which level a model of two classes gives the probability of.
std::string event(const RunFacts& f) {
  if (!f.event) return "";
  return fmt::format("  event: {} = {} (data.levels or data.positive choose another)\n",
                     f.event->target.empty() ? "the target" : f.event->target, f.event->level);
}

std::string scored(const std::string& where, const Scores& scores) {
  if (scores.empty()) return "";
  std::string text = fmt::format("  {}:", where);
  for (const Score& score : scores) text += fmt::format("  {} {:.4g}", score.name, score.value);
  return text + '\n';
}

// What the scores are of.
std::string rows_of(const Summary& s) {
  if (s.scored.rows == 0) return s.facts.test_rows > 0 ? "on test rows" : "against the truth";
  if (!s.scored.training) return "on test rows";
  return fmt::format("on {} training rows, as there are no test rows", grouped(s.scored.rows));
}

std::string discrimination(const Summary& s) {
  if (!s.auc || std::isnan(s.auc->value)) return "";
  const std::string interval =
      std::isnan(s.auc->lower) ? "" : fmt::format(" (90 % interval {:.3f} to {:.3f})", s.auc->lower, s.auc->upper);
  return fmt::format("  AUC of the event's probability: {:.3f}{}\n", s.auc->value, interval);
}

std::string predictive_words(const PredictiveCheck& check) {
  return check.groups.empty() ? "" : fmt::format("  predictive check: {}\n", check.words);
}

std::string communication(const Summary& s) {
  const Counters& c = s.facts.counters;
  std::string text = fmt::format(
      "  sent: {} up ({}), {} down ({}) of payloads in {} rounds", human_bits(static_cast<double>(c.uplink_bits)),
      human_bytes(static_cast<double>(c.uplink_bits) / 8), human_bits(static_cast<double>(c.downlink_bits)),
      human_bytes(static_cast<double>(c.downlink_bits) / 8), grouped(c.rounds));
  const double whole = static_cast<double>(c.messages) * static_cast<double>(s.facts.dimension()) * 64;
  const double ratio = whole / std::max(1.0, static_cast<double>(c.uplink_bits));
  if (ratio > 1.005) text += fmt::format("; up {:.3g} times less than float64 words", ratio);
  const double framed = whole / std::max(1.0, static_cast<double>(c.wire_bits));
  if (ratio > 1.005 && c.wire_bits > 0) text += fmt::format(", {:.3g} times with the frames around them", framed);
  return text + '\n';
}

std::string per_effective_draw(const Summary& s) {
  const auto cost = draw_cost(s.facts.counters, s.facts.states, s.parameters);
  return cost ? "  " + in_words(*cost) + '\n' : "";
}

// Describes who took part and what crossed the network.
std::string federation(const RunFacts& f) {
  if (!f.federation) return "";
  const FederationFacts& facts = *f.federation;
  constexpr std::size_t kMost = 8;
  std::string text = "  federation:";
  for (std::size_t i = 0; i < std::min(kMost, facts.sites.size()); ++i)
    text += fmt::format("{} {} ({} rows)", i == 0 ? "" : ",", facts.sites[i].name, grouped(facts.sites[i].rows));
  if (facts.sites.size() > kMost) text += fmt::format(" and {} more", facts.sites.size() - kMost);
  text += fmt::format("\n  on the wire, whole frames: {} in, {} out", human_bytes(static_cast<double>(facts.bytes_in)),
                      human_bytes(static_cast<double>(facts.bytes_out)));
  const auto times = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("; {}: {}", what, grouped(count));
  };
  times(facts.repeated, "broadcasts sent again");
  times(facts.brought_up, "clients brought up to date");
  times(facts.skipped, "clients skipped");
  text += fmt::format("; the server waited for clients {:.0f} % of the time", 100 * facts.waiting_share);
  return text + '\n';
}

std::string times(const RunFacts& f) {
  const double rate = f.seconds > 0 ? static_cast<double>(f.done) / f.seconds : 0;
  return fmt::format("  time: {} ({} of processor), {} iterations per second, {} gradients\n", human_seconds(f.seconds),
                     human_seconds(f.cpu_seconds), human_rate(rate), grouped(f.counters.gradients));
}

std::string trajectories(const RunFacts& f) {
  const std::string line = transitions_line(f.transitions);
  return line.empty() ? "" : "  trajectories: " + line + '\n';
}

std::string network(const RunFacts& f) {
  if (!f.simulated) return "";
  const std::string shares = simulated_shares(*f.simulated);
  return fmt::format("  in such a network: {}{}\n", human_duration(f.simulated->total()),
                     shares.empty() ? "" : ", of which " + shares);
}

std::string privacy(const PrivacyFacts& p) {
  if (!p.asked) return "";
  const PrivacySpending& s = p.spending;
  std::string text = fmt::format("  privacy after {} rounds: ", grouped(s.rounds));
  const std::string why = fmt::format("{}", fmt::join(s.theorem.why, "; "));
  if (!s.theorem.epsilon && !s.renyi.epsilon) return text + fmt::format("no epsilon, {}\n", why);
  if (s.theorem.epsilon)
    text += fmt::format("epsilon {:.4g} at delta {:.4g} (Theorem G.3)", *s.theorem.epsilon, *s.theorem.delta);
  else
    text += fmt::format("none by Theorem G.3 ({})", why);
  if (s.renyi.epsilon)
    text += fmt::format("; {:.4g} at delta {:.4g} (Renyi accounting)", *s.renyi.epsilon, *s.renyi.delta);
  return text + '\n';
}

std::string heading(const RunFacts& f) {
  const bool spent = f.privacy.spent_at_round && f.done < f.iterations;
  if (f.status == RunStatus::complete && !spent) return "";
  const char* what = f.status == RunStatus::complete      ? "the privacy budget was spent"
                     : f.status == RunStatus::interrupted ? "stopped"
                                                          : "failed";
  return fmt::format("  {} after {} of {} iterations\n", what, grouped(f.done), grouped(f.iterations));
}

}  // namespace

std::string run_report(const Summary& s, const Ending& ending) {
  std::string text = fmt::format("pollen {} · {}{}", version(), problem(s), heading(s.facts));
  if (!s.parameters.empty()) {
    text += s.facts.units.empty() ? "\n" : fmt::format("\n  {}\n", s.facts.units);
    text += parameter_table(s.parameters, s.facts.labels, 20, name_of(s.facts.states), s.facts.ratios);
  }
  text += '\n' + event(s.facts) + scored(rows_of(s), s.metrics) + discrimination(s) + predictive_words(s.check) +
          scored(fmt::format("on {} rows from elsewhere", grouped(s.ood_rows)), s.ood) + communication(s) +
          per_effective_draw(s) + federation(s.facts) + trajectories(s.facts) + times(s.facts) + network(s.facts) +
          privacy(s.facts.privacy);
  for (const std::string& note : s.facts.notes) text += "  note: " + note + '\n';
  text += verdict_text(s.verdict, s.warnings);
  text += fmt::format("\n  files: {}/ {}\n", ending.folder, fmt::join(ending.files, ", "));
  if (const auto next = next_commands(s, ending); !next.empty())
    text += fmt::format("  next:  {}\n", fmt::join(next, "   ·   "));
  return text;
}

std::string human_duration(double seconds) {
  if (!std::isfinite(seconds)) return "?";
  if (seconds < 10) return fmt::format("{:.2g} s", seconds);
  constexpr double kMost = 1e15;
  const auto whole = static_cast<std::int64_t>(std::llround(std::min(seconds, kMost)));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  if (whole < 86400) return fmt::format("{} h {} min", whole / 3600, whole / 60 % 60);
  return fmt::format("{} d {} h", grouped(whole / 86400), whole / 3600 % 24);
}

std::string simulated_shares(const SimulatedTime& time) {
  std::array parts = {std::pair{time.up, "sending up"}, std::pair{time.computing, "computing"},
                      std::pair{time.down, "sending down"}, std::pair{time.waiting, "waiting for clients"},
                      std::pair{time.server, "at the server"}};
  std::ranges::stable_sort(parts, std::ranges::greater{}, &std::pair<double, const char*>::first);
  std::string text;
  for (const auto& [seconds, name] : parts) {
    const double percent = time.total() > 0 ? 100 * seconds / time.total() : 0;
    if (percent >= 1) text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", percent, name);
  }
  return text;
}

}  // namespace pollen::sink
