// A compressor of your own: every number as a bfloat16, the upper half of a float32. It cuts off what does not fit and
// is therefore biased, so it goes with d-elf, whose error feedback makes up for it.
#include <bit>
#include <cmath>
#include <cstdio>

#include "pollen/errors.h"
#include "pollen/run.h"

class Bfloat16 : public pollen::Compressor {
 public:
  std::int64_t encode(std::span<const double> v, const pollen::Stream&, std::span<double> decoded,
                      pollen::Bytes* payload, pollen::Scratch&) const override {
    for (std::size_t j = 0; j < v.size(); ++j) {
      const std::uint32_t upper = std::bit_cast<std::uint32_t>(static_cast<float>(v[j])) >> 16;
      if (payload != nullptr) payload->insert(payload->end(), {std::uint8_t(upper), std::uint8_t(upper >> 8)});
      decoded[j] = std::bit_cast<float>(upper << 16);
    }
    return 16 * std::ssize(v);
  }
  void decode(pollen::ByteView payload, std::span<double> out, pollen::Scratch&) const override {
    if (payload.size() != 2 * out.size()) throw pollen::WireError("bfloat16: the payload must have 2 bytes per number");
    for (std::size_t j = 0; j < out.size(); ++j)
      out[j] = std::bit_cast<float>(payload[2 * j] * (1U << 16) + payload[2 * j + 1] * (1U << 24));
  }
  bool unbiased() const override { return false; }
  double omega(pollen::Index) const override { return std::pow(2.0, -14); }  // seven bits after the leading one
  double alpha(pollen::Index d) const override { return 1 - omega(d); }
};

int main() {
  pollen::register_compressor(
      {"bfloat16", "16 bits per number", "", false, [](const auto&, auto) { return std::make_unique<Bfloat16>(); }});
  auto config = pollen::read_config_text(
      "model = {kind = 'gaussian', prior = 'flat'}\nrun.iterations = 40000\n"
      "sampler = {name = 'd-elf', compressor = 'bfloat16', step = 0.005}",
      "compressor.cc");
  config.clients = {{.data = {{0}, {1}, {2}, {5}}}, {.data = {{1}, {3}}}};  // the posterior's mean is that of all: 2
  pollen::Run run(config);
  run.start();
  run.sample();
  const double mean = run.finish().parameters[0].mean;
  std::printf("mean %.3f, known 2\n", mean);
  return std::abs(mean - 2) < 0.05 ? 0 : 1;
}
