// The clients' side of FedSOUK: a round's local steps, then I and C(J). Latents and memories stay here.
#pragma once

#include <memory>
#include <vector>

#include "personal/personal.h"
#include "pollen/archive.h"

namespace pollen {

class LocalRounds {
 public:
  // What a message cost.
  struct Receipt {
    std::int64_t bits = 0, gradients = 0;
    double bits_bound = 0;
    Index accepted = 0;
  };

  LocalRounds(const PersonalProblem& problem, const PersonalSettings& settings);  // both outlive it

  // A client's round in one chain, at the (φ, β) it was sent; message = (C(J), I). Clients may answer at the same time,
  // each with a scratch of its own.
  Receipt answer(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
                 std::span<double> message, Scratch& scratch);
  // Where the client's last round ended; a draw from the population where it has had none.
  void latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
              std::span<double> out) const;
  void archive(Archive& archive, Index first, Index last);  // of these clients

 private:
  struct Streams {
    Stream noise, coins, start, compress;
  };

  // What a client that has had a round keeps, a column a chain.
  struct Own {
    Panel z;
    Panel memory;  // h_i
    std::vector<std::uint8_t> visited;
  };

  std::unique_ptr<Own> make_own() const;
  void draw_latent(std::uint64_t round, std::uint32_t client, std::uint32_t chain, std::span<const double> position,
                   std::span<double> out) const;
  void compress(std::span<double> memory, const Stream& stream, std::span<double> by_shared, Receipt& receipt,
                Scratch& scratch);

  const PersonalProblem& problem_;
  const PersonalSettings& settings_;
  std::size_t shared_;
  std::unique_ptr<const Compressor> compressor_;
  std::vector<Streams> streams_;  // one a chain
  std::vector<std::unique_ptr<Own>> own_;
};

}  // namespace pollen
