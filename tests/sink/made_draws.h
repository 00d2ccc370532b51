// Draws made for the purpose of a test: every parameter is a function of the chain, the number of the draw, and noise
// that remembers its past as an autoregression does.
#pragma once

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "pollen/random.h"
#include "sink/verdict.h"

namespace pollen::sink {

class MadeDraws {
 public:
  using Value = std::function<double(Index chain, Index draw, double noise)>;

  // Draws with another `first` have other noise, if it differs by the number of parameters or more.
  explicit MadeDraws(Index length = 1000, Index chains = 4, std::uint32_t first = 0) : first_(first) {
    draws.chains = facts.chains = chains;
    draws.length = length;
    facts.sampler = "qlsd++";
    facts.model = "linear";
    facts.iterations = facts.done = 1000 + length;
    facts.burn_in = 1000;
  }
  // The noise has variance 1 and correlation `memory` from one draw to the next.
  void add(const std::string& label, double memory, const Value& value) {
    const auto all = static_cast<std::size_t>(draws.chains * draws.length);
    std::vector<double> noise(all);
    normals(make_stream(11, first_ + static_cast<std::uint32_t>(draws.values.size()), Purpose::synthetic), noise);
    std::vector<double>& values = draws.values.emplace_back();
    double state = 0;
    for (std::size_t n = 0; n < all; ++n) {
      const auto chain = static_cast<Index>(n) / draws.length, draw = static_cast<Index>(n) % draws.length;
      state = draw == 0 ? noise[n] : memory * state + std::sqrt(1 - memory * memory) * noise[n];
      values.push_back(value(chain, draw, state));
    }
    draws.names.push_back(label);
    facts.labels.push_back(label);
    draws.labels = facts.labels;
  }
  void add(const std::string& label, double memory = 0) {
    add(label, memory, [](Index, Index, double noise) { return noise; });
  }
  std::vector<stats::ParameterSummary> parameters() const { return summarize(draws, 1); }
  Verdict verdict() const { return judge(facts, parameters(), &draws); }
  // Whether a reason contains the words.
  bool says(const std::string& words) const {
    for (const std::string& line : verdict().reasons)
      if (line.find(words) != std::string::npos) return true;
    return false;
  }

  DrawSet draws;
  RunFacts facts;

 private:
  std::uint32_t first_ = 0;
};

}  // namespace pollen::sink
