#include <fmt/format.h>

#include <stdexcept>

#include "compress/compressors.h"
#include "kinds.h"
#include "math/math.h"
#include "pollen/errors.h"

namespace pollen {

void Compressor::encode_all(std::span<Encoding> jobs, Scratch& scratch) const {
  for (Encoding& job : jobs) job.bits = encode(job.v, job.stream, job.decoded, job.payload, scratch);
}

void Compressor::decode_add(ByteView payload, double weight, std::span<double> out, Scratch& scratch) const {
  Scratch::Frame frame(scratch);
  const auto decoded = scratch.take<double>(std::ssize(out));
  decode(payload, decoded, scratch);
  math::axpy(weight, decoded, out);
}

CodeMemory Compressor::encode_joined(std::span<Encoding>, const CodeMemory&, Role, Bytes*, Scratch&) const {
  throw std::logic_error("this compressor codes every vector alone");
}

CodeMemory Compressor::decode_joined(ByteView, std::span<const Decoding>, const CodeMemory&, Role, Scratch&) const {
  throw std::logic_error("this compressor codes every vector alone");
}

double Compressor::covariance(std::span<const double> v, std::span<double> diagonal) const {
  const double all = omega(std::ssize(v)) * math::squared_norm(v);
  std::ranges::fill(diagonal, all / static_cast<double>(v.size()));
  return 0;
}

namespace compress {

CompressorRow identity_row();
CompressorRow qsgd_row();
CompressorRow top_k_row();
CompressorRow rand_k_row();
CompressorRow natural_row();
CompressorRow coded_row();

}  // namespace compress

namespace {

using namespace compress;

Registry<CompressorRow>& table() {
  static Registry<CompressorRow> rows(
      "sampler.compressor", {identity_row(), qsgd_row(), top_k_row(), rand_k_row(), natural_row(), coded_row()});
  return rows;
}

void check(const CompressorRow& row, const CompressorSpec& spec, Index d) {
  Problems problems;
  const auto range = [&](const char* key, std::int64_t found, std::int64_t most) {
    if (found < 1 || found > most) problems.add(key, fmt::format("found {}, accepted: 1 to {}", found, most));
  };
  range("dimension", d, kMostCoordinates);
  if (has_word(row.keys, "bits") && spec.bits != 32 && spec.bits != 64)
    problems.add("bits", fmt::format("found {}, accepted: 32 or 64", spec.bits));
  if (has_word(row.keys, "k") && (spec.k < 1 || spec.k > d))
    problems.add("k", fmt::format("found {}, accepted: 1 to the dimension, {}", spec.k, d));
  if (has_word(row.keys, "levels")) range("levels", spec.levels, kMostLevels);
  if (spec.scaled && !row.unbiased)
    problems.add("scaled",
                 fmt::format("found true with {}, accepted: true with an unbiased compressor only", row.name));
  problems.raise();
}

}  // namespace

const Registry<CompressorRow>& compressors() { return table(); }

void register_compressor(CompressorRow row) { table().add(std::move(row)); }

std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d) {
  const CompressorRow& row = compressors().at(spec.kind);
  check(row, spec, d);
  auto plain = row.make(spec, d);
  return spec.scaled ? make_scaled(std::move(plain)) : std::move(plain);
}

std::unique_ptr<const Compressor> make_compressor(const CompressorSpec& spec, Index d, Index tail) {
  if (tail == 0 && d > 0) return make_compressor(spec, d);
  return make_whole_tail(tail < d ? make_compressor(spec, d - tail) : nullptr, spec, tail);
}

}  // namespace pollen
