#include <cuda_runtime.h>

#include <cstdint>
#include <stdexcept>
#include <string>

#include "lenet_kernels.h"

namespace pollen::torch_room {
namespace {

constexpr int kSide = 32;  // side of an image with its padding
constexpr int kMap = 14, kCell = 5;  // sides of the pooled maps
constexpr int kFirst = 6 * kMap * kMap, kSecond = 16 * kCell * kCell;

struct Pooled {
  float value;
  std::uint8_t which;
};

// Takes the largest of four values, the first among equals, with NaN above all, and cuts it at zero (ReLU).
__device__ Pooled pool(const float* four) {
  Pooled best{four[0], 0};
  for (int k = 1; k < 4; ++k)
    if (!(four[k] <= best.value) && best.value == best.value) best = {four[k], static_cast<std::uint8_t>(k)};
  if (best.value <= 0) best = {0, 4};
  return best;
}

__device__ void load_image(float* image, const float* x) {
  for (int i = threadIdx.x; i < kSide * kSide; i += blockDim.x) {
    const int y = i / kSide - 2, c = i % kSide - 2;
    image[i] = y >= 0 && y < 28 && c >= 0 && c < 28 ? x[28 * y + c] : 0.0f;
  }
}

// Runs one block per image. First each thread computes one pooled pixel of all six maps; then each thread computes one
// pooled pixel of two maps.
__global__ void __launch_bounds__(224) forward(LenetForward pass) {
  __shared__ float image[kSide * kSide];
  __shared__ float weight1[150];
  __shared__ float2 weight2[150 * 8];  // index: map and place, pair of outputs
  __shared__ float first[kFirst];
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t row = blockIdx.x;
  load_image(image, pass.x + row * 784);
  if (t < 150) weight1[t] = pass.theta[t];
  for (int i = t; i < 2400; i += blockDim.x)
    reinterpret_cast<float*>(weight2)[i % 150 * 16 + i / 150] = pass.theta[156 + i];
  __syncthreads();
  if (t < kMap * kMap) {
    const int y = t / kMap, x = t % kMap;
    float seen[6][6];
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
      for (int c = 0; c < 6; ++c) seen[r][c] = image[(2 * y + r) * kSide + 2 * x + c];
#pragma unroll
    for (int map = 0; map < 6; ++map) {
      const float bias = pass.theta[150 + map];
      float sum[4] = {bias, bias, bias, bias};
#pragma unroll
      for (int r = 0; r < 5; ++r)
#pragma unroll
        for (int c = 0; c < 5; ++c) {
          const float w = weight1[25 * map + 5 * r + c];
#pragma unroll
          for (int k = 0; k < 4; ++k) sum[k] = fmaf(w, seen[r + k / 2][c + k % 2], sum[k]);
        }
      const Pooled best = pool(sum);
      first[map * kMap * kMap + t] = best.value;
      pass.first[row * kFirst + map * kMap * kMap + t] = best.value;
      pass.which1[row * kFirst + map * kMap * kMap + t] = best.which;
    }
  }
  __syncthreads();
  if (t >= 200) return;
  const int cell = t % 25, pair = t / 25, y = cell / kCell, x = cell % kCell;
  const float bias[2] = {pass.theta[2556 + 2 * pair], pass.theta[2557 + 2 * pair]};
  float sum[2][4];
#pragma unroll
  for (int k = 0; k < 8; ++k) sum[k / 4][k % 4] = bias[k / 4];
  for (int map = 0; map < 6; ++map) {
    float seen[6][6];
#pragma unroll
    for (int r = 0; r < 6; ++r)
#pragma unroll
      for (int c = 0; c < 6; ++c) seen[r][c] = first[map * kMap * kMap + (2 * y + r) * kMap + 2 * x + c];
#pragma unroll
    for (int r = 0; r < 5; ++r)
#pragma unroll
      for (int c = 0; c < 5; ++c) {
        const float2 w = weight2[(25 * map + 5 * r + c) * 8 + pair];
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          sum[0][k] = fmaf(w.x, seen[r + k / 2][c + k % 2], sum[0][k]);
          sum[1][k] = fmaf(w.y, seen[r + k / 2][c + k % 2], sum[1][k]);
        }
      }
  }
#pragma unroll
  for (int o = 0; o < 2; ++o) {
    const Pooled best = pool(sum[o]);
    const std::int64_t at = row * kSecond + (2 * pair + o) * 25 + cell;
    pass.second[at] = best.value;
    pass.which2[at] = best.which;
  }
}

constexpr int kBack = 160;  // number of threads: one per place of a kernel over six maps, of which there are 150
constexpr int kWide = kMap + 4;  // side of a map of gradients with a margin around it

struct BackwardShared {
  float image[kSide * kSide];
  float first[kFirst];
  float above[16][kWide * kWide];  // gradients before the second pool, with a margin of four zeros
  float weight2[400][8];  // index: output and place, map
  float sparse[kSecond];  // the same gradients, one per pooled pixel,
  int place[kSecond];  // and their positions in a map of `first`
  float below[kFirst];  // gradients before the first pool, one per pooled pixel,
  int place1[kFirst];  // and their positions in `image`
};

__device__ void load_row(BackwardShared& s, const LenetBackward& pass, std::int64_t row) {
  const int t = static_cast<int>(threadIdx.x);
  load_image(s.image, pass.x + row * 784);
  for (int i = t; i < kFirst; i += kBack) s.first[i] = pass.first[row * kFirst + i];
  for (int i = t; i < 16 * kWide * kWide; i += kBack) s.above[0][i] = 0;
  __syncthreads();
  for (int i = t; i < kSecond; i += kBack) {
    const int which = pass.which2[row * kSecond + i], cell = i % 25;
    const int y = 2 * (cell / kCell) + (which & 3) / 2, x = 2 * (cell % kCell) + which % 2;
    const float g = which == 4 ? 0.0f : pass.above[row * kSecond + i];
    s.sparse[i] = g;
    s.place[i] = which == 4 ? 0 : y * kMap + x;
    if (which != 4) s.above[i / 25][(y + 4) * kWide + x + 4] = g;
  }
  for (int i = t; i < kFirst; i += kBack) {
    const int which = pass.which1[row * kFirst + i], cell = i % (kMap * kMap);
    s.place1[i] = which == 4 ? -1 : (2 * (cell / kMap) + which / 2) * kSide + 2 * (cell % kMap) + which % 2;
  }
  __syncthreads();
}

// Computes the gradients of two neighbouring pixels of all six maps.
__device__ void pull_back(BackwardShared& s) {
  const int t = static_cast<int>(threadIdx.x);
  if (t >= kMap * kMap / 2) return;
  const int y = t / (kMap / 2), x = t % (kMap / 2) * 2;
  float sum[2][6] = {};
  for (int o = 0; o < 16; ++o)
#pragma unroll
    for (int r = 0; r < 5; ++r) {
      float g[6];
#pragma unroll
      for (int c = 0; c < 6; ++c) g[c] = s.above[o][(y + 4 - r) * kWide + x + c];
#pragma unroll
      for (int c = 0; c < 5; ++c) {
        const float* w = s.weight2[o * 25 + 5 * r + c];
        const float4 low = *reinterpret_cast<const float4*>(w);
        const float2 high = *reinterpret_cast<const float2*>(w + 4);
        const float all[6] = {low.x, low.y, low.z, low.w, high.x, high.y};
#pragma unroll
        for (int map = 0; map < 6; ++map) {
          sum[0][map] = fmaf(g[4 - c], all[map], sum[0][map]);
          sum[1][map] = fmaf(g[5 - c], all[map], sum[1][map]);
        }
      }
    }
#pragma unroll
  for (int map = 0; map < 6; ++map)
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      const int at = map * kMap * kMap + y * kMap + x + k;
      s.below[at] = s.place1[at] < 0 ? 0.0f : sum[k][map];
    }
}

// Runs one block for a few images of one group. Thread t < 150 handles place t of every kernel over the six maps, and
// of the first kernels.
__global__ void __launch_bounds__(kBack) backward(LenetBackward pass) {
  extern __shared__ float4 room[];
  BackwardShared& s = *reinterpret_cast<BackwardShared*>(room);
  const int t = static_cast<int>(threadIdx.x);
  const std::int64_t parts = lenet_parts(pass.each), group = blockIdx.x / parts, part = blockIdx.x % parts;
  for (int i = t; i < 2400; i += kBack) s.weight2[i / 150 * 25 + i % 25][i % 150 / 25] = pass.theta[156 + i];
  const int map = t / 25, offset = t % 25 / 5 * kMap + t % 5, offset1 = t % 25 / 5 * kSide + t % 5;
  float sum2[16] = {}, sum1 = 0, bias = 0;
  const std::int64_t end = min(pass.each, (part + 1) * kLenetImages);
  for (std::int64_t image = part * kLenetImages; image < end; ++image) {
    __syncthreads();
    load_row(s, pass, group * pass.each + image);
    pull_back(s);
    if (t < 150) {
      const float* first = s.first + map * kMap * kMap + offset;
#pragma unroll
      for (int o = 0; o < 16; ++o)
        for (int cell = 0; cell < 25; ++cell)
          sum2[o] = fmaf(s.sparse[25 * o + cell], first[s.place[25 * o + cell]], sum2[o]);
    }
    __syncthreads();
    if (t < 150) {
      const float *below = s.below + map * kMap * kMap, *seen = s.image + offset1;
      const int* place = s.place1 + map * kMap * kMap;
      for (int cell = 0; cell < kMap * kMap; ++cell) sum1 = fmaf(below[cell], seen[max(place[cell], 0)], sum1);
    }
    if (t < 6)
      for (int cell = 0; cell < kMap * kMap; ++cell) bias += s.below[t * kMap * kMap + cell];
    if (t >= 32 && t < 48)
      for (int cell = 0; cell < 25; ++cell) bias += s.sparse[25 * (t - 32) + cell];
  }
  float* out = pass.partial + static_cast<std::int64_t>(blockIdx.x) * kLenetTheta;
  if (t < 150) {
    out[t] = sum1;
    for (int o = 0; o < 16; ++o) out[156 + 150 * o + t] = sum2[o];
  }
  if (t < 6) out[150 + t] = bias;
  if (t >= 32 && t < 48) out[2556 + t - 32] = bias;
}

__global__ void add_parts(LenetBackward pass) {
  const std::int64_t i = blockIdx.x * static_cast<std::int64_t>(blockDim.x) + threadIdx.x, group = blockIdx.y;
  if (i >= kLenetTheta) return;
  const std::int64_t parts = lenet_parts(pass.each);
  float sum = 0;
  for (std::int64_t p = 0; p < parts; ++p) sum += pass.partial[(group * parts + p) * kLenetTheta + i];
  pass.out[group * kLenetTheta + i] = sum;
}

void check(const char* what) {
  if (const cudaError_t error = cudaGetLastError(); error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

}  // namespace

void lenet_forward(const LenetForward& pass, void* stream) {
  forward<<<static_cast<unsigned>(pass.rows), 224, 0, static_cast<cudaStream_t>(stream)>>>(pass);
  check("lenet5's forward kernel");
}

void lenet_backward(const LenetBackward& pass, void* stream) {
  const auto s = static_cast<cudaStream_t>(stream);
  constexpr auto bytes = static_cast<int>(sizeof(BackwardShared));
  static const cudaError_t allowed = cudaFuncSetAttribute(backward, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
  if (allowed != cudaSuccess) throw std::runtime_error("lenet5's backward kernel does not fit this GPU");
  backward<<<static_cast<unsigned>(pass.groups * lenet_parts(pass.each)), kBack, bytes, s>>>(pass);
  add_parts<<<dim3(static_cast<unsigned>((kLenetTheta + 127) / 128), static_cast<unsigned>(pass.groups)), 128, 0, s>>>(
      pass);
  check("lenet5's backward kernel");
}

}  // namespace pollen::torch_room
