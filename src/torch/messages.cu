// The GPU version of messages.cc, as a sequence of kernels. It is compiled without contraction, so operations are fused
// only where the code says so.
#include <cuda_runtime.h>

#include <stdexcept>
#include <string>

#include "message_math.h"
#include "messages.h"

namespace pollen::torch_room {
namespace {

constexpr int kThreads = 256;

__global__ void aim(MessagePass pass) {
  const std::int64_t client = blockIdx.y, at = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (at >= pass.dimension || pass.present[client] == 0) return;
  const std::int64_t j = client * pass.dimension + at;
  pass.message[j] = aimed(pass, client, j);
}

// Runs one warp per client; thread t holds partial sum t. The next loads are under way while the last ones are added.
__global__ void norms(MessagePass pass) {
  const std::int64_t client = blockIdx.x, d = pass.dimension;
  if (pass.present[client] == 0) return;
  const double* v = pass.message + client * d;
  const int t = static_cast<int>(threadIdx.x);
  constexpr int kSome = 24;
  double sum = 0, now[kSome], next[kSome];
  const std::int64_t turns = d / (32 * kSome);
#pragma unroll
  for (int k = 0; k < kSome; ++k) now[k] = turns > 0 ? v[32 * k + t] : 0;
  for (std::int64_t turn = 0; turn < turns; ++turn) {
    const double* from = v + 32 * kSome * (turn + 1 < turns ? turn + 1 : turn) + t;
#pragma unroll
    for (int k = 0; k < kSome; ++k) next[k] = from[32 * k];
#pragma unroll
    for (int k = 0; k < kSome; ++k) sum = fma(now[k], now[k], sum);
#pragma unroll
    for (int k = 0; k < kSome; ++k) now[k] = next[k];
  }
  std::int64_t j = 32 * kSome * turns;
  for (; j + 32 <= d; j += 32) sum = fma(v[j + t], v[j + t], sum);
  const std::int64_t left = d - j, whole = left / 8 * 8;
  if (t < whole) sum = fma(v[j + t], v[j + t], sum);
  if (t >= 24 && t - 24 < left - whole) sum = fma(v[j + whole + t - 24], v[j + whole + t - 24], sum);
  constexpr unsigned kAll = 0xFFFFFFFFu;
  sum = sum + __shfl_down_sync(kAll, sum, 8);  // threads 0 to 7 hold groups 0 + 1, threads 16 to 23 hold groups 2 + 3
  sum = sum + __shfl_down_sync(kAll, sum, 16);  // threads 0 to 7 hold the lanes
  sum = sum + __shfl_down_sync(kAll, sum, 4);
  sum = sum + __shfl_down_sync(kAll, sum, 1);  // thread 0 holds lanes 0 + 1, thread 2 holds 2 + 3
  sum = sum + __shfl_down_sync(kAll, sum, 2);
  if (t == 0) pass.about[client].norm = static_cast<float>(wire_norm(sqrt(sum)));
}

// Each thread quantises four coordinates, which use one counter of Philox.
__global__ void quantise(MessagePass pass) {
  const std::int64_t client = blockIdx.y, d = pass.dimension;
  if (pass.present[client] == 0) return;
  const std::uint32_t index = blockIdx.x * kThreads + threadIdx.x;
  NetworkMessage& about = pass.about[client];
  const double norm = about.norm, top = pass.levels, scale = top / norm, unit = norm / top;
  const FourWords words = message_words(index, static_cast<std::uint32_t>(client), pass.round, pass.key);
  std::uint32_t bits = 0, dense = 0, sparse = 0, count = 0;
  for (int k = 0; k < 4; ++k) {
    const std::int64_t at = 4 * static_cast<std::int64_t>(index) + k;
    if (at >= d) break;
    double& v = pass.message[client * d + at];
    if (!(norm > 0)) {
      v = 0;
      continue;
    }
    const double level = level_of(v, scale, top, words.word[k]);
    v = fma(copysign(level, v), unit, 0.0);
    const auto whole = static_cast<std::uint32_t>(level);
    dense += log2_floor(whole + 1);
    if (whole == 0) continue;
    sparse += log2_floor(whole);
    ++count;
    bits |= 1u << k;
  }
  constexpr unsigned kAll = 0xFFFFFFFFu;
  const unsigned lane = threadIdx.x % 32;
  bits <<= 4 * (lane % 8);
  for (int step = 1; step < 8; step *= 2) bits |= __shfl_xor_sync(kAll, bits, step);
  const std::int64_t word = index / 8, words_each = (d + 31) / 32;
  if (lane % 8 == 0 && word < words_each) pass.nonzero[client * words_each + word] = bits;
  dense = __reduce_add_sync(kAll, dense);
  sparse = __reduce_add_sync(kAll, sparse);
  count = __reduce_add_sync(kAll, count);
  if (lane != 0 || norm == 0) return;
  using Count = unsigned long long;
  atomicAdd(reinterpret_cast<Count*>(&about.dense_logs), static_cast<Count>(dense));
  atomicAdd(reinterpret_cast<Count*>(&about.sparse_logs), static_cast<Count>(sparse));
  atomicAdd(reinterpret_cast<Count*>(&about.nonzeros), static_cast<Count>(count));
}

// Runs one block per client. Each thread takes a run of words and must know the position of the last non-zero before
// it.
__global__ void gaps(MessagePass pass) {
  const std::int64_t client = blockIdx.x, d = pass.dimension, words = (d + 31) / 32;
  NetworkMessage& about = pass.about[client];
  if (pass.present[client] == 0 || !(about.norm > 0)) return;
  constexpr int kWide = 1024;
  __shared__ std::int64_t last[kWide];
  __shared__ unsigned long long total;
  const std::uint32_t* nonzero = pass.nonzero + client * words;
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t each = (words + kWide - 1) / kWide, first = t * each, end = min(words, first + each);
  std::int64_t mine = -1;
  for (std::int64_t w = end - 1; w >= first && mine < 0; --w)
    if (nonzero[w] != 0) mine = 32 * w + static_cast<std::int64_t>(log2_floor(nonzero[w]));
  last[t] = mine;
  if (t == 0) total = 0;
  __syncthreads();
  for (int step = 1; step < kWide; step *= 2) {
    const std::int64_t other = t >= step ? last[t - step] : -1;
    __syncthreads();
    last[t] = max(last[t], other);
    __syncthreads();
  }
  std::int64_t before = t == 0 ? -1 : last[t - 1];
  unsigned long long bits = 0;
  for (std::int64_t w = first; w < end; ++w)
    for (std::uint32_t left = nonzero[w]; left != 0; left &= left - 1) {
      const std::int64_t at = 32 * w + __ffs(static_cast<int>(left)) - 1;
      bits += gamma_bits(static_cast<std::uint32_t>(at - before));
      before = at;
    }
  if (t == kWide - 1) bits += gamma_bits(static_cast<std::uint32_t>(d - last[t]));
  atomicAdd(&total, bits);
  __syncthreads();
  if (t == 0) about.gap_bits = total;
}

// Adds the messages in client order and moves the memories.
__global__ void add_up(MessagePass pass) {
  const std::int64_t block = blockIdx.y, d = pass.dimension;
  const std::int64_t at = blockIdx.x * static_cast<std::int64_t>(kThreads) + threadIdx.x;
  if (at >= d) return;
  double sum = 0;
  const std::int64_t first = block * pass.block, end = min(pass.clients, first + pass.block);
#pragma unroll 4
  for (std::int64_t client = first; client < end; ++client) {
    if (pass.present[client] == 0) continue;
    const double v = pass.message[client * d + at];
    sum += v;
    if (pass.memory != nullptr) pass.memory[client * d + at] = fma(pass.rate, v, pass.memory[client * d + at]);
  }
  pass.sums[block * d + at] = sum;
}

unsigned blocks_of(std::int64_t count, int threads) { return static_cast<unsigned>((count + threads - 1) / threads); }

}  // namespace

void make_messages_on_gpu(const MessagePass& pass, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  const auto clients = static_cast<unsigned>(pass.clients);
  const unsigned wide = blocks_of(pass.dimension, kThreads);
  cudaMemsetAsync(pass.about, 0, static_cast<std::size_t>(pass.clients) * sizeof *pass.about, s);
  aim<<<dim3(wide, clients), kThreads, 0, s>>>(pass);
  if (pass.levels > 0) {
    norms<<<clients, 32, 0, s>>>(pass);
    quantise<<<dim3(blocks_of(pass.dimension, 4 * kThreads), clients), kThreads, 0, s>>>(pass);
    gaps<<<clients, 1024, 0, s>>>(pass);
  }
  add_up<<<dim3(wide, blocks_of(pass.clients, static_cast<int>(pass.block))), kThreads, 0, s>>>(pass);
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    throw std::runtime_error(std::string("the messages' kernels: ") + cudaGetErrorString(error));
}

}  // namespace pollen::torch_room
