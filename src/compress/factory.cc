#include "kinds.h"
#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

void Compressor::encode_all(std::span<Encoding> jobs, Scratch& scratch) const {
  for (Encoding& job : jobs) job.bits = encode(job.v, job.stream, job.decoded, job.payload, scratch);
}

void Compressor::decode_two(const std::array<ByteView, 2>& payloads, const std::array<std::span<double>, 2>& out,
                            Scratch& scratch) const {
  for (std::size_t i = 0; i < 2; ++i) decode(payloads[i], out[i], scratch);
}

void Compressor::decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const auto decoded = scratch.take<double>(std::ssize(out));
  decode(payload, decoded, scratch);
  math::axpy(weight, decoded, out);
}

namespace {

using namespace compress;

void check_bits(const CompressorSpec& spec, Problems& problems) {
  if (spec.bits != 32 && spec.bits != 64) {
    problems.add("bits", "found " + std::to_string(spec.bits) + ", accepted: 32 or 64");
  }
}

void check_k(const CompressorSpec& spec, Index d, Problems& problems) {
  if (spec.k < 1 || spec.k > d) {
    problems.add("k", "found " + std::to_string(spec.k) + ", accepted: 1 to the dimension, " + std::to_string(d));
  }
}

void check(const CompressorSpec& spec, Index d) {
  Problems problems;
  if (d < 1 || d > kMostCoordinates) {
    problems.add("dimension", "found " + std::to_string(d) + ", accepted: 1 to " + std::to_string(kMostCoordinates));
  }
  const CompressorKind kind = spec.kind;
  const bool sparse = kind == CompressorKind::top_k || kind == CompressorKind::rand_k;
  if (sparse || kind == CompressorKind::identity) check_bits(spec, problems);
  if (sparse) check_k(spec, d, problems);
  if (kind == CompressorKind::qsgd && (spec.levels < 1 || spec.levels > kMostLevels)) {
    problems.add("levels", "found " + std::to_string(spec.levels) + ", accepted: 1 to " + std::to_string(kMostLevels));
  }
  if (kind == CompressorKind::top_k && spec.scaled) {
    problems.add("scaled", "found true with top-k, accepted: true with an unbiased compressor only");
  }
  problems.raise();
}

std::unique_ptr<const Compressor> make_plain(const CompressorSpec& spec, Index d) {
  switch (spec.kind) {
    case CompressorKind::identity:
      return make_identity(spec.bits);
    case CompressorKind::qsgd:
      return make_qsgd(spec.levels);
    case CompressorKind::top_k:
      return make_top_k(spec.k, spec.bits, d);
    case CompressorKind::rand_k:
      return make_rand_k(spec.k, spec.bits);
    case CompressorKind::natural:
      return make_natural();
  }
  throw ConfigError("compressor", "found an unknown kind");
}

}  // namespace

std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d) {
  check(spec, d);
  auto plain = make_plain(spec, d);
  return spec.scaled ? make_scaled(std::move(plain)) : std::move(plain);
}

std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d, Index tail) {
  if (tail == 0) return make_compressor(spec, d);
  return make_whole_tail(tail < d ? make_compressor(spec, d - tail) : nullptr, spec, tail);
}

std::string name_of(CompressorKind kind) {
  switch (kind) {
    case CompressorKind::identity:
      return "identity";
    case CompressorKind::qsgd:
      return "qsgd";
    case CompressorKind::top_k:
      return "top-k";
    case CompressorKind::rand_k:
      return "rand-k";
    case CompressorKind::natural:
      return "natural";
  }
  return "unknown";
}

}  // namespace pollen
