#include "smoothness.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "math/math.h"
#include "pollen/random.h"

namespace pollen {

Smoothness find_smoothness(Transport& transport, const Prior& prior, std::span<const double> at, std::uint64_t seed) {
  const auto d = static_cast<Index>(at.size());
  std::vector<double> v(at.size()), product(at.size());
  normals(make_stream(seed, 0, Purpose::power), v);
  math::scale(1 / std::sqrt(math::squared_norm(v)), v);
  const ConstPanelView where{at.data(), d, 1, d};
  Smoothness result;
  // The Rayleigh quotient never exceeds λ_max and converges quickly. At most 100 products are computed.
  double last = 0;
  for (result.exchanges = 0; result.exchanges < 100;) {
    transport.query({Query::What::curvature, where, {v.data(), d, 1, d}}, {product.data(), d, 1, d});
    ++result.exchanges;
    prior.add_curvature(v, 1.0, product);
    const double norm = std::sqrt(math::squared_norm(product));
    result.value = norm;
    if (!(norm > 0) || !std::isfinite(norm) || std::abs(norm - last) <= 1e-4 * norm) break;
    last = norm;
    for (std::size_t j = 0; j < v.size(); ++j) v[j] = product[j] / norm;
  }
  return result;
}

namespace {

// The factor for the compressor that adds the most noise (1/(1+ω)) or delay (α), over all clients.
double compressor_factor(const Uplink& up, Index dimension) {
  double least = 1;
  const CompressorSpec* last = nullptr;
  for (const CompressorSpec& spec : up.per_client.empty() ? std::span(&up.compressor, 1) : std::span(up.per_client)) {
    if (last != nullptr && spec == *last) continue;  // many clients may have the same
    last = &spec;
    const auto compressor = make_compressor(spec, dimension);
    least = std::min(
        least, up.memory == Memory::feedback ? compressor->alpha(dimension) : 1 / (1 + compressor->omega(dimension)));
  }
  return least;
}

}  // namespace

double auto_step(const Recipe& recipe, double smoothness, Index clients, Index dimension,
                 std::span<const Index> sizes) {
  double factor = compressor_factor(recipe.up, dimension);
  if (recipe.down.feedback)  // what the server and the clients know of each other is as late as both delays together
    factor = 1 / (1 / factor + 1 / make_compressor(recipe.down.compressor, dimension)->alpha(dimension) - 1);
  if (recipe.oracle == OracleKind::minibatch) {
    double share = 1;
    for (const Index n : sizes)
      share = std::min(share, static_cast<double>(recipe.batch.of(n)) / static_cast<double>(n));
    factor *= share;
  }
  const Participation& p = recipe.participation;
  if (p.policy == ParticipationPolicy::bernoulli)
    factor *= *std::min_element(p.probability.begin(), p.probability.end());
  if (p.policy == ParticipationPolicy::fixed_size)
    factor *= std::min(1.0, static_cast<double>(p.size) / static_cast<double>(clients));
  return 0.1 * factor / smoothness;
}

}  // namespace pollen
