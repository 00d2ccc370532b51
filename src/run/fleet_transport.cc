#include "fleet_transport.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "compress/qsgd.h"
#include "math/math.h"
#include "network/network.h"
#include "oracle/oracles.h"
#include "pollen/archive.h"
#include "pollen/errors.h"
#include "round/block_sums.h"
#include "transport/thread_team.h"

namespace pollen {

namespace {

bool weights_are_equal(const Participation& participation) {
  if (participation.policy == ParticipationPolicy::full) return true;
  if (participation.replacement) return false;
  return participation.scaling == Scaling::active || participation.probability.size() == 1;
}

bool fits(const Recipe& recipe) {
  const CompressorSpec& up = recipe.up.compressor;
  const bool qsgd = up.kind == "qsgd" && !up.scaled;
  const bool whole = !up.compresses() && up.bits == 64;
  return !recipe.local && (recipe.oracle_name == "minibatch" || recipe.oracle_name == "svrg") && (qsgd || whole) &&
         recipe.up.per_client.empty() && recipe.up.memory != Memory::feedback && !recipe.up.start_at_gradient &&
         !recipe.down.feedback && recipe.prior_on_server && weights_are_equal(recipe.participation);
}

class FleetTransport final : public Transport {
 public:
  FleetTransport(ClientView& view, Clients& clients, const NetworkFleetSpec& spec, std::unique_ptr<NetworkFleet> fleet,
                 int threads)
      : view_(view),
        clients_(clients),
        spec_(spec),
        fleet_(std::move(fleet)),
        questions_(make_thread_transport(view, clients, threads)),
        team_(std::min(threads, static_cast<int>(view.chains()))),
        dimension_(clients.front().potential().dimension()) {
    for (std::size_t i = 0; i < clients.size(); ++i) rows_.push_back(clients[i].potential().rows());
    const auto chains = static_cast<std::size_t>(view.chains());
    present_.resize(chains * clients.size());
    minibatch_.resize(chains);
    one_client_.resize(chains);
    done_.resize(chains);
    if (spec_.anchored) anchor_at_.assign(chains, 0);
    if (spec_.anchored) evaluated_.assign(chains * clients.size(), 0);
  }

  void exchange(Server& server) override {
    descent_.reset();
    view_.receive(server.broadcast(), work_);
    const Roster& roster = server.broadcast().roster;
    std::ranges::fill(present_, std::uint8_t{0});
    for (const Roster::Entry& entry : roster.clients)
      for (const std::uint32_t chain : roster.chains(entry)) present_[chain * clients_.size() + entry.client] = 1;
    for (Index c = 0; c < view_.chains(); ++c) begin(c);
    server.draw_noise();
    draw_ahead();
    team_.run(view_.chains(), [&](Index c, int) { add_up(server, c); });
    for (std::size_t i = 0; i < clients_.size(); ++i) count(server, i);
  }

  Team team() override { return team_.team(); }

  void query(const Query& query, PanelView sum) override {
    if (query.what == Query::What::descent && !held_network(clients_.front().potential()).varied)
      descend(query, sum);
    else
      questions_->query(query, sum);
  }

  void archive(Archive& archive) override {
    const auto size = static_cast<std::size_t>(dimension_) * clients_.size();
    std::vector<double> memory(spec_.memory ? size : 0), anchored(spec_.anchored ? size : 0);
    archive.array(std::span(anchor_at_));
    archive.array(std::span(evaluated_));
    for (Index c = 0; c < view_.chains(); ++c) {
      if (!archive.reading()) fleet_->save(c, memory.data(), anchored.data());
      archive.array(std::span(memory));
      archive.array(std::span(anchored));
      if (archive.reading())
        fleet_->load(c, memory.data(), anchored.data(), spec_.anchored ? view_.anchor().column(c).data() : nullptr);
    }
  }

 private:
  std::span<const std::uint8_t> present(Index chain) const {
    return std::span(present_).subspan(static_cast<std::size_t>(chain) * clients_.size(), clients_.size());
  }
  bool equals_anchor(Index chain) const {
    return spec_.anchored && at_anchor(view_.anchor_version()[static_cast<std::size_t>(chain)], view_.round());
  }

  void begin(Index chain) {
    const auto c = static_cast<std::size_t>(chain);
    NetworkFleetRound round;
    round.chain = chain;
    round.position = view_.position().column(chain).data();
    round.at_anchor = equals_anchor(chain);
    if (spec_.anchored && anchor_at_[c] != view_.anchor_version()[c]) {
      round.anchor = view_.anchor().column(chain).data();
      anchor_at_[c] = view_.anchor_version()[c];
    }
    round.present = present(chain).data();
    if (!round.at_anchor && drawn_ != view_.round() + 1) draw_rows(chain, view_.round());
    round.rows = minibatch_[c].data();
    const Stream& stream = view_.compress_streams()[c];
    std::ranges::copy(stream.key, round.key);
    round.round = view_.round();
    fleet_->begin(round);
  }

  // Draws the next round's minibatches while the device computes, if every client takes part in every round. The device
  // has its own copy of this round's minibatches.
  void draw_ahead() {
    if (view_.recipe().participation.policy != ParticipationPolicy::full) return;
    team_.run(view_.chains(), [&](Index c, int) { draw_rows(c, view_.round() + 1); });
    drawn_ = view_.round() + 2;
  }

  void draw_rows(Index chain, std::uint64_t round) {
    minibatch_[static_cast<std::size_t>(chain)].clear();
    for (std::size_t i = 0; i < clients_.size(); ++i)
      if (present(chain)[i] != 0) add_rows(chain, round, static_cast<std::uint32_t>(i), spec_.batch[i]);
  }

  void add_rows(Index chain, std::uint64_t round, std::uint32_t client, Index batch) {
    const auto c = static_cast<std::size_t>(chain);
    draw_minibatch(view_.minibatch_streams()[c], round, client, {rows_[client], batch}, one_client_[c]);
    minibatch_[c].insert(minibatch_[c].end(), one_client_[c].begin(), one_client_[c].end());
  }

  void add_up(Server& server, Index chain) {
    const NetworkSums& done = done_[static_cast<std::size_t>(chain)] = fleet_->finish(chain);
    const auto d = static_cast<std::size_t>(dimension_);
    for (Index b = 0; b < server.blocks(); ++b)
      server.absorb_sum(b, chain, {done.sums + static_cast<std::size_t>(b) * d, d});
  }

  // Counts what a client sent. The bits of a message of several chains are those of the first.
  void count(Server& server, std::size_t client) {
    std::int64_t bits = bits_of(client);
    for (Index c = 0; c < view_.chains(); ++c)
      if (present(c)[client] != 0)
        server.count({static_cast<std::uint32_t>(client), std::exchange(bits, 0), gradients_of(c, client)});
  }

  // Computes gradients for the descent before the first round: uncompressed sums over minibatches of another size, by a
  // second fleet.
  void descend(const Query& query, PanelView sum) {
    NetworkFleetSpec spec = spec_;
    spec.anchored = spec.memory = false;
    spec.levels = 0;
    for (std::size_t i = 0; i < clients_.size(); ++i) spec.batch[i] = std::min(query.batch, rows_[i]);
    drawn_ = 0;  // minibatch_ is overwritten below
    if (!descent_) descent_ = held_network(clients_.front().potential()).network->fleet(spec);
    const std::vector<std::uint8_t> everybody(clients_.size(), 1);
    for (Index c = 0; c < sum.columns; ++c) {
      std::vector<std::uint32_t>& rows = minibatch_[static_cast<std::size_t>(c)];
      rows.clear();
      for (std::size_t i = 0; i < clients_.size(); ++i)
        add_rows(c, Query::kSteps + query.step, static_cast<std::uint32_t>(i), spec.batch[i]);
      NetworkFleetRound round;
      round.chain = c;
      round.position = query.at.column(c).data();
      round.present = everybody.data();
      round.rows = rows.data();
      descent_->begin(round);
    }
    for (Index c = 0; c < sum.columns; ++c) {
      const double* sums = descent_->finish(c).sums;
      const auto d = static_cast<std::size_t>(dimension_);
      std::ranges::fill(sum.column(c), 0.0);
      for (std::size_t first = 0; first < clients_.size(); first += static_cast<std::size_t>(spec_.block), sums += d)
        math::add({sums, d}, sum.column(c));
    }
  }

  // Bits of a client's message. Levels are counted in Elias codes: the device does not run the range code, which would
  // need all of them in order.
  std::int64_t bits_of(std::size_t client) const {
    std::uint64_t bits = 0;
    bool zero = true;
    for (Index c = 0; c < view_.chains(); ++c) {
      if (present(c)[client] == 0) continue;
      if (spec_.levels == 0) {
        bits += static_cast<std::uint64_t>(view_.recipe().up.compressor.bits * dimension_);
        continue;
      }
      const NetworkMessage& m = done_[static_cast<std::size_t>(c)].messages[client];
      if (!std::isfinite(m.norm))
        throw NumericError("a value is not finite, or the norm is above float32's range",
                           static_cast<std::int64_t>(view_.round()), static_cast<std::int64_t>(client));
      const QsgdCounts counts{static_cast<std::uint64_t>(dimension_), m.nonzeros, m.dense_logs, m.sparse_logs};
      bits += qsgd_part_bits(m.norm, std::min(qsgd_dense_bits(counts), qsgd_sparse_bits(counts, m.gap_bits)));
      zero = zero && m.norm == 0;
    }
    if (spec_.levels == 0) return static_cast<std::int64_t>(bits);
    return zero ? 0 : qsgd_elias_bits(bits);
  }

  // The number of row gradients that this client's oracle would count. The device evaluates ∇U_i(ζ) of all clients at
  // once, but they count when a client first needs them.
  std::int64_t gradients_of(Index chain, std::size_t client) {
    if (!spec_.anchored) return spec_.batch[client];
    std::uint64_t& evaluated = evaluated_[static_cast<std::size_t>(chain) * clients_.size() + client];
    const std::uint64_t version = view_.anchor_version()[static_cast<std::size_t>(chain)];
    const bool new_anchor = std::exchange(evaluated, version) != version;
    return svrg_gradients({rows_[client], spec_.batch[client]}, new_anchor, equals_anchor(chain));
  }

  ClientView& view_;
  Clients& clients_;
  NetworkFleetSpec spec_;
  std::unique_ptr<NetworkFleet> fleet_, descent_;
  std::unique_ptr<Transport> questions_;
  ThreadTeam team_;
  Index dimension_;
  std::vector<Index> rows_;
  std::vector<std::uint8_t> present_;                   // one per (chain, client): whether the client takes part
  std::vector<std::vector<std::uint32_t>> minibatch_;   // one per chain
  std::vector<std::vector<std::uint32_t>> one_client_;  // one per chain: reused memory for one client's rows
  std::vector<NetworkSums> done_;                       // one per chain
  std::uint64_t drawn_ = 0;                             // 1 + the round of minibatch_ if it was drawn ahead, else 0
  std::vector<std::uint64_t> anchor_at_, evaluated_;    // versions of ζ: the fleet's, and one per (chain, client)
  Workspace work_;
};

}  // namespace

std::unique_ptr<Transport> make_fleet_transport(ClientView& view, Clients& clients, int threads) {
  const Recipe& recipe = view.recipe();
  if (clients.empty() || !fits(recipe)) return nullptr;
  NetworkFleetSpec spec;
  const HeldNetwork first = held_network(clients.front().potential());
  if (first.network == nullptr) return nullptr;
  for (std::size_t i = 0; i < clients.size(); ++i) {
    const Client& client = clients[i];
    const HeldNetwork held = held_network(client.potential());
    const Index batch = recipe.batch.of(client.potential().rows());
    // With likelihood = "mean" the scales of clients differ.
    if (batch == client.potential().rows() || held.scale != first.scale) return nullptr;
    spec.clients.push_back(held.rows);
    spec.batch.push_back(batch);
  }
  spec.chains = view.chains();
  spec.block = block_size_for(static_cast<Index>(clients.size()));
  spec.scale = first.scale;
  spec.anchored = recipe.oracle == OracleKind::svrg;
  spec.memory = recipe.up.memory != Memory::none;
  spec.rate = recipe.up.rate;
  if (recipe.up.compressor.kind == "qsgd") spec.levels = recipe.up.compressor.levels;
  std::unique_ptr<NetworkFleet> fleet = first.network->fleet(spec);
  if (!fleet) return nullptr;
  return std::make_unique<FleetTransport>(view, clients, spec, std::move(fleet), threads);
}

}  // namespace pollen
