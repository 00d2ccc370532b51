#include <algorithm>
#include <cmath>

#include "experiment_parts.h"
#include "own_draws.h"
#include "pollen/stats.h"

namespace pollen {

Forecast PersonalResults::forecast(const Table& rows, std::optional<Index> client, const Table& own,
                                   ConstPanelView learnt, Index draws, double interval) const {
  const PersonalParts& parts = *parts_.personal;
  const PersonalModel& model = *parts.model;
  const auto where = model.rows(rows.view(), nullptr), known = model.rows(own.view(), own.y.data());
  const PersonalRows& observed = client ? parts.train[static_cast<std::size_t>(*client)] : *known;
  const std::uint64_t seed = seed_of(client);
  const auto outputs = static_cast<std::size_t>(model.outputs());
  const std::size_t n = static_cast<std::size_t>(rows.rows) * outputs;
  std::vector<std::vector<double>> response(n);
  Forecast out{std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), std::vector<double>(n), {}};
  if (outputs > 1) out.entropy.resize(n / outputs);
  std::vector<double> mean(n), noise(n), squares(n);
  Scratch scratch;
  const bool classes = model.classifies();
  const double all = static_cast<double>(learnt.columns * draws);
  Stream stream = make_stream(seed, 0, Purpose::reference_noise);
  for_each_own_draw(parts, observed, learnt, draws, seed,
                    [&](Index chain, Index draw, std::span<const double> shared, std::span<const double> z) {
                      where->predict(shared, z, mean, scratch);
                      const double sd = classes ? 0 : model.noise_sd(shared);
                      stream.round = static_cast<std::uint64_t>(chain * draws + draw);
                      normals(stream, noise);
                      for (std::size_t r = 0; r < n; ++r) {
                        out.mean[r] += mean[r] / all;
                        squares[r] += (mean[r] * mean[r] + sd * sd) / all;
                        response[r].push_back(mean[r] + sd * noise[r]);
                        if (outputs > 1 && mean[r] > 0) out.entropy[r / outputs] -= mean[r] * std::log(mean[r]) / all;
                      }
                    });
  for (std::size_t r = 0; r < n; ++r) {
    const double variance = classes ? out.mean[r] * (1 - out.mean[r]) : squares[r] - out.mean[r] * out.mean[r];
    out.sd[r] = std::sqrt(std::max(0.0, variance));
    out.lower[r] = stats::quantile(response[r], 0.5 - interval / 2);
    out.upper[r] = stats::quantile(response[r], 0.5 + interval / 2);
  }
  return out;
}

}  // namespace pollen
