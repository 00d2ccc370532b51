// Every compressor at several dimensions, and vectors of several characters: what the laws are run over.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "pollen/compress.h"

namespace pollen::compress_tests {

// A compressor whose k is a share of the dimension.
struct Case {
  std::string name;
  CompressorSpec spec;
  Index divisor = 1;  // k = ⌈d / divisor⌉

  std::unique_ptr<const Compressor> make(Index d) const {
    CompressorSpec at_d = spec;
    at_d.k = (d + divisor - 1) / divisor;
    return make_compressor(at_d, d);
  }
};

inline std::string case_name(const testing::TestParamInfo<Case>& info) { return info.param.name; }

inline Case make_case(CompressorSpec spec, Index divisor = 1) {
  std::string name = spec.kind;
  std::erase(name, '-');
  if (spec.kind == "qsgd") name += std::to_string(spec.levels);
  if (divisor > 1) name += "_1_in_" + std::to_string(divisor);
  if (spec.bits == 32) name += "_32bit";
  if (spec.scaled) name += "_scaled";
  return {name, spec, divisor};
}

inline std::vector<Case> cases() {
  std::vector<Case> all;
  for (const bool scaled : {false, true}) {
    all.push_back(make_case({.kind = "identity", .scaled = scaled}));
    all.push_back(make_case({.kind = "identity", .bits = 32, .scaled = scaled}));
    all.push_back(make_case({.kind = "natural", .scaled = scaled}));
    for (const std::uint32_t s : {1U, 16U, 256U, 5000U, 1U << 20, 1U << 24}) {
      all.push_back(make_case({.kind = "qsgd", .levels = s, .scaled = scaled}));
    }
    all.push_back(make_case({.kind = "rand-k", .scaled = scaled}, 5));
    all.push_back(make_case({.kind = "rand-k", .bits = 32, .scaled = scaled}, 2));
  }
  all.push_back(make_case({.kind = "top-k"}));
  all.push_back(make_case({.kind = "top-k"}, 5));
  all.push_back(make_case({.kind = "top-k", .bits = 32}, 2));
  return all;
}

inline std::vector<double> gaussian(Index d, std::uint64_t seed = 7) {
  std::vector<double> v(static_cast<std::size_t>(d));
  normals(make_stream(seed, 0, Purpose::synthetic), v);
  return v;
}

// Dense, nearly empty, equal, of all magnitudes, large, tiny, and zero vectors.
inline std::vector<std::vector<double>> vectors(Index d) {
  const std::vector<double> base = gaussian(d);
  std::vector<std::vector<double>> all(8, base);
  for (std::size_t j = 0; j < base.size(); ++j) {
    if (j % 37 != 5) all[1][j] = j % 2 == 0 ? 0.0 : -0.0;
    all[2][j] = j % 3 == 0 ? -2.5 : 2.5;
    all[3][j] = std::ldexp(base[j], static_cast<int>(j % 80) - 60);
    all[4][j] = base[j] * 1e34;
    all[5][j] = base[j] * 1e-37;
    all[6][j] = base[j] * 1e-300;
    all[7][j] = 0;
  }
  return all;
}

struct Encoded {
  Bytes payload;
  std::vector<double> decoded;
  std::int64_t bits = 0;
};

inline Stream stream_of(std::uint64_t round) {
  Stream stream = make_stream(11, 3, Purpose::compress_up);
  stream.round = round;
  return stream;
}

inline Encoded encode(const Compressor& compressor, const std::vector<double>& v, std::uint64_t round = 0) {
  Encoded made{{}, std::vector<double>(v.size(), -77.0), 0};
  static Scratch scratch;  // kept: its first use clears a quarter of a megabyte
  made.bits = compressor.encode(v, stream_of(round), made.decoded, &made.payload, scratch);
  return made;
}

inline std::vector<double> decode(const Compressor& compressor, ByteView payload, std::size_t d) {
  std::vector<double> out(d, -99.0);
  static Scratch scratch;
  compressor.decode(payload, out, scratch);
  return out;
}

// Not ==: that would take -0 for 0.
inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

inline double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

}  // namespace pollen::compress_tests
