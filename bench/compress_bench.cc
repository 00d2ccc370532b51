// Times the compressors: nanoseconds per call at the dimension of small models, and bytes of float64 input per second
// at a million coordinates.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <vector>

#include "compress/qsgd.h"
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

// Decodes 64 payloads in turn, because the branch predictor would learn a single one.
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

// Messages of one vector of normal numbers after others, from which the code has learnt.
struct Conversation {
  Conversation(const CompressorSpec& spec, std::int64_t d) : bench(spec, d), heard(bench.v.size()) {}

  std::int64_t send() {
    ++bench.stream.round;
    bench.payload.clear();
    Encoding part{bench.v, bench.stream, bench.decoded, &bench.payload};
    const CodeMemory next =
        bench.compressor->encode_joined({&part, 1}, memory, Compressor::Role::message, &bench.payload, bench.scratch);
    const Decoding got{{}, 1, heard};
    bench.compressor->decode_joined(bench.payload, {&got, 1}, memory, Compressor::Role::message, bench.scratch);
    memory = next;
    return part.bits;
  }

  Bench bench;
  std::vector<double> heard;
  CodeMemory memory;
};

// Encodes and decodes messages. Before that, compares the mean length of messages of different vectors with the entropy
// of their levels, from the frequencies of all. (Where s is large and d small, frequencies make it too low.)
void message(benchmark::State& state, const CompressorSpec& spec) {
  Conversation talk(spec, state.range(0));
  Bench& bench = talk.bench;
  const auto d = static_cast<double>(bench.v.size());
  constexpr int kSettle = 20;
  const int messages = std::max(4, static_cast<int>(1e6 / d));
  std::map<long, double> count;
  double bits = 0, entropy = 0, numbers = messages * d;
  for (int n = 0; n < kSettle + messages; ++n) {
    normals(make_stream(2, static_cast<std::uint32_t>(n), Purpose::synthetic), bench.v);
    const std::int64_t sent = talk.send();
    if (n < kSettle) continue;
    bits += static_cast<double>(sent) / numbers;
    double norm = 0;
    for (const double x : bench.v) norm += x * x;
    for (const double x : bench.decoded) ++count[std::lround(x * spec.levels / qsgd_norm(std::sqrt(norm)))];
  }
  for (const auto& [level, times] : count) entropy -= times / numbers * std::log2(times / numbers);
  for (auto _ : state) benchmark::DoNotOptimize(bench.bits = talk.send());
  bench.report(state);
  state.counters["entropy"] = entropy;
  state.counters["over"] = bits / entropy - 1;
}

constexpr std::int64_t kThousand = 1000, kMillion = 1'000'000;
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
BENCHMARK_CAPTURE(message, qsgd_1, CompressorSpec{.kind = "qsgd", .levels = 1})->Arg(kThousand)->Arg(kMillion);
BENCHMARK_CAPTURE(message, qsgd_16, kQsgd16)->Arg(kThousand)->Arg(kMillion);
BENCHMARK_CAPTURE(message, qsgd_256, kQsgd256)->Arg(kThousand)->Arg(kMillion);
BENCHMARK_CAPTURE(message, qsgd_65536, kQsgd65536)->Arg(kThousand)->Arg(kMillion);
BENCHMARK_CAPTURE(lengths, top_5, kTop5)->Arg(50);
BENCHMARK_CAPTURE(encode, top_1_percent, kTop1Percent)->Arg(kMillion);
BENCHMARK_CAPTURE(encode, rand_1_percent, kRand1Percent)->Arg(kMillion);
BENCHMARK_CAPTURE(both, natural, kNatural)->Arg(50)->Arg(kMillion);
BENCHMARK_CAPTURE(both, identity, kIdentity)->Arg(kMillion);

}  // namespace

BENCHMARK_MAIN();
