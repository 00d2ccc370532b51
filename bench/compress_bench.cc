// Compressors: nanoseconds a call at the dimension of small models, bytes of float64 input a second at a million.
#include <benchmark/benchmark.h>

#include <vector>

#include "pollen/compress.h"

namespace {

using namespace pollen;

struct Bench {
  Bench(const CompressorSpec& spec, std::int64_t d)
      : compressor(make_compressor(spec, d)), v(static_cast<std::size_t>(d)), decoded(v.size()) {
    normals(make_stream(1, 0, Purpose::synthetic), v);
    stream = make_stream(1, 0, Purpose::compress_up);
  }
  std::int64_t encode(Bytes* to) {
    ++stream.round;
    if (to != nullptr) to->clear();
    return compressor->encode(v, stream, decoded, to, scratch);
  }
  void report(benchmark::State& state) const {
    state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(v.size() * sizeof(double)));
    state.counters["bits/coord"] = static_cast<double>(bits) / static_cast<double>(v.size());
  }

  std::unique_ptr<const Compressor> compressor;
  std::vector<double> v, decoded;
  Stream stream;
  Scratch scratch;
  Bytes payload;
  std::int64_t bits = 0;
};

void lengths(benchmark::State& state, const CompressorSpec& spec) {
  Bench bench(spec, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(bench.bits = bench.encode(nullptr));
  bench.report(state);
}

void encode(benchmark::State& state, const CompressorSpec& spec) {
  Bench bench(spec, state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(bench.bits = bench.encode(&bench.payload));
  bench.report(state);
}

// Decodes 64 payloads in turn: one alone would be learnt by the branch predictor.
void decode(benchmark::State& state, const CompressorSpec& spec) {
  Bench bench(spec, state.range(0));
  std::vector<Bytes> payloads(state.range(0) > 1000 ? 1 : 64);
  for (Bytes& payload : payloads) bench.bits = bench.encode(&payload);
  std::size_t turn = 0;
  for (auto _ : state) {
    bench.compressor->decode(payloads[turn++ % payloads.size()], bench.decoded, bench.scratch);
    benchmark::DoNotOptimize(bench.decoded.data());
    benchmark::ClobberMemory();
  }
  bench.report(state);
}

void both(benchmark::State& state, const CompressorSpec& spec) {
  Bench bench(spec, state.range(0));
  for (auto _ : state) {
    bench.bits = bench.encode(&bench.payload);
    bench.compressor->decode(bench.payload, bench.decoded, bench.scratch);
    benchmark::ClobberMemory();
  }
  bench.report(state);
}

constexpr std::int64_t kMillion = 1'000'000;
const CompressorSpec kQsgd16{.kind = "qsgd", .levels = 16};
const CompressorSpec kQsgd256{.kind = "qsgd", .levels = 256};
const CompressorSpec kQsgd65536{.kind = "qsgd", .levels = 65536};
const CompressorSpec kTop1Percent{.kind = "top-k", .k = kMillion / 100};
const CompressorSpec kRand1Percent{.kind = "rand-k", .k = kMillion / 100};
const CompressorSpec kTop5{.kind = "top-k", .k = 5};
const CompressorSpec kNatural{.kind = "natural"};
const CompressorSpec kIdentity{.kind = "identity"};

BENCHMARK_CAPTURE(lengths, qsgd_16, kQsgd16)->Arg(50);
BENCHMARK_CAPTURE(lengths, qsgd_256, kQsgd256)->Arg(50)->Arg(kMillion);
BENCHMARK_CAPTURE(encode, qsgd_16, kQsgd16)->Arg(50);
BENCHMARK_CAPTURE(encode, qsgd_256, kQsgd256)->Arg(50)->Arg(kMillion);
BENCHMARK_CAPTURE(encode, qsgd_65536, kQsgd65536)->Arg(kMillion);
BENCHMARK_CAPTURE(decode, qsgd_16, kQsgd16)->Arg(50);
BENCHMARK_CAPTURE(decode, qsgd_256, kQsgd256)->Arg(50)->Arg(kMillion);
BENCHMARK_CAPTURE(decode, qsgd_65536, kQsgd65536)->Arg(kMillion);
BENCHMARK_CAPTURE(both, qsgd_16, kQsgd16)->Arg(kMillion);
BENCHMARK_CAPTURE(both, qsgd_256, kQsgd256)->Arg(kMillion);
BENCHMARK_CAPTURE(both, qsgd_65536, kQsgd65536)->Arg(kMillion);
BENCHMARK_CAPTURE(lengths, top_5, kTop5)->Arg(50);
BENCHMARK_CAPTURE(encode, top_1_percent, kTop1Percent)->Arg(kMillion);
BENCHMARK_CAPTURE(encode, rand_1_percent, kRand1Percent)->Arg(kMillion);
BENCHMARK_CAPTURE(both, natural, kNatural)->Arg(50)->Arg(kMillion);
BENCHMARK_CAPTURE(both, identity, kIdentity)->Arg(kMillion);

}  // namespace

BENCHMARK_MAIN();
