// From the gradients of all clients to their messages and the sums of these (network/network.h, NetworkFleet).
#pragma once

#include <cstdint>

#include "network/network.h"

namespace pollen::torch_room {

// Arrays are clients × dimension and lie on the network's device.
struct MessagePass {
  std::int64_t dimension = 0;
  std::int64_t clients = 0;
  std::int64_t block = 32;           // clients per partial sum
  const float* here = nullptr;       // Σ ∇U_ij(θ)
  const float* there = nullptr;      // Σ ∇U_ij(ζ); null if there is no anchor
  const double* anchored = nullptr;  // ∇U_i(ζ); null if there is no anchor
  double* memory = nullptr;          // h_i; null if there is no memory
  const double* factor = nullptr;    // N/n, one per client
  const std::uint8_t* present = nullptr;
  bool at_anchor = false;  // true: H_i = ∇U_i(ζ)
  double scale = 1, rate = 0;
  std::uint32_t levels = 0;  // 0: messages are not compressed
  std::uint32_t key[2] = {0, 0};
  std::uint64_t round = 0;
  double* message = nullptr;         // room for the messages
  std::uint32_t* nonzero = nullptr;  // clients × (dimension + 31)/32 words
  NetworkMessage* about = nullptr;   // one per client
  double* sums = nullptr;            // blocks × dimension
};

void make_messages(const MessagePass& pass);  // on the CPU
void make_messages_on_gpu(const MessagePass& pass,
                          void* stream);  // a cudaStream_t; only in modules built with CUDA

}  // namespace pollen::torch_room
