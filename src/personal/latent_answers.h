// What a client with latents answers to questions of the server (LatentQuestion): derivatives of its log-likelihood,
// which the start of (φ, β) and the server's steps are made from. Thread-safe with one Scratch per thread.
#pragma once

#include "local_chain.h"
#include "personal/pooled_answer.h"

namespace pollen {

// Adds ∂²U/∂φ² at the latent z.
void add_information(const LocalTarget& target, std::span<const double> z, PanelView out, Scratch& scratch);

// Adds the client's part of the observed information about (φ, β), by Louis' identity (Louis 1982)
//
//   -∇² log p(D_i | φ, β) = E[-∇² log p(D_i, z | φ, β)] - Cov[∇ log p(D_i, z | φ, β)],
//
// and in the last column the gradient of log p(D_i | φ, β), the mean of ∇ log p(D_i, z | φ, β), over so many effective
// draws of z from p(z | D_i, φ, β), by Hamiltonian Monte Carlo. Model and population must know their second
// derivatives.
void add_observed(const LocalTarget& target, const LocalStreams& streams, Index draws, PanelView out);

}  // namespace pollen
