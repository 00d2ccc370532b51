// The clients' side of FedSOUK: a round's local steps, then I and C(J). Latents and memories stay here.
#pragma once

#include <memory>
#include <vector>

#include "pollen/archive.h"
#include "pollen/personal.h"

namespace pollen {

class LocalRounds {
 public:
  // What a message cost.
  struct Receipt {
    std::int64_t bits = 0, gradients = 0;
    double bits_bound = 0;
    Index accepted = 0;
  };

  LocalRounds(const PersonalProblem& problem, const PersonalSettings& settings);

  // A client's round in one chain, at the (φ, β) it was sent; message = (C(J), I). Clients may answer at the same time,
  // each with a scratch of its own.
  Receipt answer(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
                 std::span<double> message, Scratch& scratch);
  // Where the client's last round ended; a draw from the population where it has had none.
  void latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
              std::span<double> out) const;
  void archive(Archive& archive);
  void archive_some(Archive& archive, Index first, Index last);  // of these clients

 private:
  struct Streams {
    Stream noise, coins, start, compress;
  };

  Index slot(std::uint32_t client, std::uint32_t chain) const;
  void draw_latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
                   std::span<double> out) const;
  void compress(Index slot, const Stream& stream, std::span<double> by_shared, Receipt& receipt, Scratch& scratch);

  PersonalProblem problem_;
  PersonalSettings settings_;
  std::size_t shared_;
  std::unique_ptr<const Compressor> compressor_;
  std::vector<Streams> streams_;  // one a chain
  Panel z_;                       // client i's chain c is column i·R + c
  std::vector<std::uint8_t> visited_;
  Panel memory_;  // h_i
};

}  // namespace pollen
