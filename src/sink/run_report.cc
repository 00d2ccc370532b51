#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sink/report.h"
#include "sink/simulated_text.h"
#include "sink/text.h"
#include "sink/version.h"

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

std::string scores(const Summary& s) {
  if (s.metrics.empty()) return "";
  std::string text = s.facts.test_rows > 0 ? "  on test rows:" : "  against the truth:";
  for (const Score& score : s.metrics) text += fmt::format("  {} {:.4g}", score.name, score.value);
  return text + '\n';
}

std::string elsewhere(const Summary& s) {
  if (s.ood_rows == 0) return "";
  std::string text = fmt::format("  on {} rows from elsewhere:", grouped(s.ood_rows));
  for (const Score& score : s.ood) text += fmt::format("  {} {:.4g}", score.name, score.value);
  return text + '\n';
}

std::string communication(const Summary& s) {
  const Counters& c = s.facts.counters;
  std::string text =
      fmt::format("  sent: {} up ({}), {} down ({}) in {} rounds", human_bits(static_cast<double>(c.uplink_bits)),
                  human_bytes(static_cast<double>(c.uplink_bits) / 8), human_bits(static_cast<double>(c.downlink_bits)),
                  human_bytes(static_cast<double>(c.downlink_bits) / 8), grouped(c.rounds));
  const double whole = static_cast<double>(c.messages) * static_cast<double>(s.facts.dimension()) * 64;
  const double ratio = whole / std::max(1.0, static_cast<double>(c.uplink_bits));
  if (ratio > 1.005) text += fmt::format("; up {:.3g} times less than float64 words", ratio);
  return text + '\n';
}

// Who took part, and what the network saw.
std::string federation(const RunFacts& f) {
  if (!f.federation) return "";
  const FederationFacts& facts = *f.federation;
  constexpr std::size_t kMost = 8;
  std::string text = "  federation:";
  for (std::size_t i = 0; i < std::min(kMost, facts.sites.size()); ++i)
    text += fmt::format("{} {} ({} rows)", i == 0 ? "" : ",", facts.sites[i].name, grouped(facts.sites[i].rows));
  if (facts.sites.size() > kMost) text += fmt::format(" and {} more", facts.sites.size() - kMost);
  text += fmt::format("\n  on the wire: {} in, {} out", human_bytes(static_cast<double>(facts.bytes_in)),
                      human_bytes(static_cast<double>(facts.bytes_out)));
  const auto times = [&](std::int64_t count, const char* what) {
    if (count > 0) text += fmt::format("; {}: {}", what, grouped(count));
  };
  times(facts.repeated, "broadcasts sent again");
  times(facts.brought_up, "clients brought up to date");
  times(facts.skipped, "clients skipped");
  return text + '\n';
}

std::string times(const RunFacts& f) {
  const double rate = f.seconds > 0 ? static_cast<double>(f.done) / f.seconds : 0;
  return fmt::format("  time: {} ({} of processor), {} iterations per second, {} gradients\n", human_seconds(f.seconds),
                     human_seconds(f.cpu_seconds), human_rate(rate), grouped(f.counters.gradients));
}

std::string network(const RunFacts& f) {
  return f.simulated ? fmt::format("  in such a network: {}\n", simulated_text(*f.simulated)) : "";
}

std::string privacy(const PrivacyFacts& p) {
  if (!p.asked) return "";
  const PrivacySpending& s = p.spending;
  std::string text = fmt::format("  privacy after {} rounds: ", grouped(s.rounds));
  if (!s.epsilon && !s.renyi_epsilon) return text + fmt::format("no epsilon, {}\n", fmt::join(s.why, "; "));
  if (s.epsilon)
    text += fmt::format("epsilon {:.4g} at delta {:.4g} (Theorem G.3)", *s.epsilon, *s.delta);
  else
    text += fmt::format("none by Theorem G.3 ({})", fmt::join(s.why, "; "));
  if (s.renyi_epsilon)
    text += fmt::format("; {:.4g} at delta {:.4g} (Renyi accounting)", *s.renyi_epsilon, *s.renyi_delta);
  return text + '\n';
}

std::string heading(const RunFacts& f) {
  switch (f.status) {
    case RunStatus::complete:
      return f.privacy.spent_at_round && f.done < f.iterations
                 ? fmt::format("  the privacy budget was spent after {} of {} iterations\n", grouped(f.done),
                               grouped(f.iterations))
                 : "";
    case RunStatus::interrupted:
      return fmt::format("  stopped after {} of {} iterations\n", grouped(f.done), grouped(f.iterations));
    case RunStatus::failed:
      return fmt::format("  failed after {} of {} iterations\n", grouped(f.done), grouped(f.iterations));
  }
  return "";
}

}  // namespace

std::string run_report(const Summary& s, const std::string& folder, const std::vector<std::string>& files) {
  std::string text = fmt::format("pollen {} · {}{}", version(), problem(s), heading(s.facts));
  if (!s.parameters.empty()) text += '\n' + parameter_table(s.parameters, s.facts.labels);
  text += '\n' + scores(s) + elsewhere(s) + communication(s) + federation(s.facts) + times(s.facts) + network(s.facts) +
          privacy(s.facts.privacy);
  for (const std::string& note : s.facts.notes) text += "  note: " + note + '\n';
  if (s.warnings.empty()) {
    text += "  no warnings\n";
  } else {
    for (const std::string& line : s.warnings) text += "  warning: " + line + '\n';
  }
  text += fmt::format("\n  files: {}/", folder);
  for (std::size_t i = 0; i < files.size(); ++i) text += (i == 0 ? " " : ", ") + files[i];
  return text + fmt::format(
                    "\n  next:  pollen summary {0}   ·   pollen report {0}   ·   pollen predict {0} --data FILE   ·   "
                    "pollen compare {0} REFERENCE\n",
                    folder);
}

}  // namespace pollen::sink
