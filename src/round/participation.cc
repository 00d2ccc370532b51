#include "round/participation.h"

#include <algorithm>
#include <numeric>

namespace pollen {

ParticipationDraw::ParticipationDraw(const Participation& policy, std::span<const Index> sizes, Index chains,
                                     bool coupled, std::uint64_t seed, bool reweight)
    : policy_(policy),
      clients_(static_cast<Index>(sizes.size())),
      chains_(chains),
      coupled_(coupled),
      reweight_(reweight) {
  const Index streams = coupled ? 1 : chains;
  for (Index c = 0; c < streams; ++c)
    streams_.push_back(make_stream(seed, static_cast<std::uint32_t>(c), Purpose::participation));
  if (policy.policy == ParticipationPolicy::fixed_size && policy.replacement) {
    double total = 0;
    for (const Index n : sizes) cumulative_.push_back(total += static_cast<double>(n));
  }
  constant_ = policy.policy == ParticipationPolicy::full;
}

void ParticipationDraw::everybody(Roster& out) const {
  const auto b = static_cast<std::size_t>(clients_);
  const auto r = static_cast<std::size_t>(chains_);
  out.clients.resize(b);
  out.chain.resize(b * r);
  out.weight.assign(b * r, 1.0);
  for (std::size_t i = 0; i < b; ++i) {
    out.clients[i] = {static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(i * r), static_cast<std::uint32_t>(r)};
    for (std::size_t c = 0; c < r; ++c) out.chain[i * r + c] = static_cast<std::uint32_t>(c);
  }
  out.uniform = true;
  out.chain_weight.assign(r, 1.0);
}

void ParticipationDraw::draw(std::uint64_t round, Roster& out) {
  if (constant_) {
    if (out.clients.empty()) everybody(out);
    return;
  }
  members_.clear();
  if (coupled_) {
    draw_chain(round, 0, chain_members_);
    for (const Member& m : chain_members_)
      for (Index c = 0; c < chains_; ++c) members_.push_back({m.client, static_cast<std::uint32_t>(c), m.weight});
  } else {
    for (Index c = 0; c < chains_; ++c) {
      draw_chain(round, static_cast<std::uint32_t>(c), chain_members_);
      members_.insert(members_.end(), chain_members_.begin(), chain_members_.end());
    }
    std::sort(members_.begin(), members_.end(), [](const Member& a, const Member& b) {
      return a.client != b.client ? a.client < b.client : a.chain < b.chain;
    });
  }
  out.clients.clear();
  out.chain.clear();
  out.weight.clear();
  out.uniform = true;
  out.chain_weight.assign(static_cast<std::size_t>(chains_), 1.0);
  for (const Member& m : members_) {
    if (out.clients.empty() || out.clients.back().client != m.client)
      out.clients.push_back({m.client, static_cast<std::uint32_t>(out.chain.size()), 0});
    ++out.clients.back().count;
    out.chain.push_back(m.chain);
    out.weight.push_back(m.weight);
    out.chain_weight[m.chain] = m.weight;
  }
  for (const Member& m : members_) out.uniform = out.uniform && out.chain_weight[m.chain] == m.weight;
}

// Draws the participants of one chain, in client order.
void ParticipationDraw::draw_chain(std::uint64_t round, std::uint32_t chain, std::vector<Member>& members) {
  members.clear();
  Stream stream = streams_[chain];
  stream.round = round;
  Sequence sequence(stream);
  if (policy_.policy == ParticipationPolicy::bernoulli)
    draw_bernoulli(sequence, members);
  else
    draw_fixed(sequence, members);
  for (Member& m : members) {
    m.chain = chain;
    if (!reweight_) m.weight = 1;
  }
}

void ParticipationDraw::draw_bernoulli(Sequence& sequence, std::vector<Member>& members) {
  const bool one = policy_.probability.size() == 1;
  const auto b = static_cast<std::uint32_t>(clients_);
  if (one) {
    const double p = policy_.probability[0];
    do bernoulli_subset(sequence, b, p, picked_);
    while (picked_.empty() && policy_.scaling == Scaling::active);
    const double weight =
        policy_.scaling == Scaling::active ? static_cast<double>(b) / static_cast<double>(picked_.size()) : 1 / p;
    for (const std::uint32_t i : picked_) members.push_back({i, 0, weight});
    return;
  }
  // With one p per client, coins of the largest p are tossed and then thinned. The cost is about b · max p, not b.
  const double largest = *std::max_element(policy_.probability.begin(), policy_.probability.end());
  bernoulli_subset(sequence, b, largest, picked_);
  for (const std::uint32_t i : picked_) {
    const double p = policy_.probability[i];
    if (p == largest || sequence.uniform() * largest < p) members.push_back({i, 0, 1 / p});
  }
}

void ParticipationDraw::draw_fixed(Sequence& sequence, std::vector<Member>& members) {
  const auto size = static_cast<std::uint32_t>(policy_.size);
  const auto b = static_cast<double>(clients_);
  if (!policy_.replacement) {
    sample_without_replacement(sequence, static_cast<std::uint32_t>(clients_), size, picked_);
    for (const std::uint32_t i : picked_) members.push_back({i, 0, b / static_cast<double>(size)});
    return;
  }
  picked_.clear();
  const double total = cumulative_.back();
  for (std::uint32_t s = 0; s < size; ++s) {
    const double u = static_cast<double>(sequence.below(static_cast<std::uint64_t>(total)));
    const auto at = std::upper_bound(cumulative_.begin(), cumulative_.end(), u);
    picked_.push_back(static_cast<std::uint32_t>(at - cumulative_.begin()));
  }
  std::sort(picked_.begin(), picked_.end());
  for (std::size_t s = 0; s < picked_.size();) {
    std::size_t end = s;
    while (end < picked_.size() && picked_[end] == picked_[s]) ++end;
    const std::uint32_t i = picked_[s];
    const double rows = cumulative_[i] - (i == 0 ? 0.0 : cumulative_[i - 1]);
    const double weight = static_cast<double>(end - s) * total / (static_cast<double>(size) * rows);
    members.push_back({i, 0, weight});
    s = end;
  }
}

}  // namespace pollen
