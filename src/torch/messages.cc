#include "messages.h"

#include <algorithm>

#include "message_math.h"

namespace pollen::torch_room {
namespace {

// Sums squares in the order of src/compress: block b of eight terms goes to group b mod 4, and the last, partial block
// to group 3. Groups are added as (0 + 1) + (2 + 3), then lanes l and l + 4, then lanes as (0 + 1) + (2 + 3).
double squared_norm(const double* v, std::int64_t d) {
  double sum[32] = {};
  const std::int64_t whole = d / 8 * 8;
  for (std::int64_t j = 0; j < d; ++j) {
    const std::int64_t at = (j < whole ? j / 8 % 4 * 8 : 24) + j % 8;
    sum[at] = std::fma(v[j], v[j], sum[at]);
  }
  double lane[8];
  for (int l = 0; l < 8; ++l) lane[l] = (sum[l] + sum[8 + l]) + (sum[16 + l] + sum[24 + l]);
  for (int l = 0; l < 4; ++l) lane[l] += lane[l + 4];
  return (lane[0] + lane[1]) + (lane[2] + lane[3]);
}

void quantise(const MessagePass& pass, std::int64_t client, double norm) {
  const std::int64_t d = pass.dimension;
  double* v = pass.message + client * d;
  std::uint32_t* nonzero = pass.nonzero + client * ((d + 31) / 32);
  NetworkMessage& about = pass.about[client];
  std::fill_n(nonzero, (d + 31) / 32, 0u);
  if (!(norm > 0)) {
    std::fill_n(v, d, 0.0);
    return;
  }
  const double top = pass.levels, scale = top / norm, unit = norm / top;
  std::int64_t last = -1;
  for (std::int64_t j = 0; j < d; ++j) {
    const FourWords words =
        message_words(static_cast<std::uint32_t>(j / 4), static_cast<std::uint32_t>(client), pass.round, pass.key);
    const double level = level_of(v[j], scale, top, words.word[j % 4]);
    v[j] = std::fma(std::copysign(level, v[j]), unit, 0.0);
    const auto whole = static_cast<std::uint32_t>(level);
    about.dense_logs += log2_floor(whole + 1);
    if (whole == 0) continue;
    ++about.nonzeros;
    about.sparse_logs += log2_floor(whole);
    about.gap_bits += gamma_bits(static_cast<std::uint32_t>(j - last));
    last = j;
  }
  about.gap_bits += gamma_bits(static_cast<std::uint32_t>(d - last));
}

}  // namespace

void make_messages(const MessagePass& pass) {
  const std::int64_t d = pass.dimension, blocks = (pass.clients + pass.block - 1) / pass.block;
  std::fill_n(pass.sums, blocks * d, 0.0);
  for (std::int64_t i = 0; i < pass.clients; ++i) {
    pass.about[i] = {};
    if (pass.present[i] == 0) continue;
    double* v = pass.message + i * d;
    for (std::int64_t j = 0; j < d; ++j) v[j] = aimed(pass, i, i * d + j);
    if (pass.levels > 0) {
      const double norm = wire_norm(std::sqrt(squared_norm(v, d)));
      pass.about[i].norm = static_cast<float>(norm);
      quantise(pass, i, norm);
    }
    double *h = pass.memory == nullptr ? nullptr : pass.memory + i * d, *sum = pass.sums + i / pass.block * d;
    for (std::int64_t j = 0; j < d; ++j) {
      sum[j] += v[j];
      if (h != nullptr) h[j] = std::fma(pass.rate, v[j], h[j]);
    }
  }
}

}  // namespace pollen::torch_room
