#include "share_draws.h"

#include <algorithm>
#include <filesystem>

#include "base/file.h"
#include "sink/facts.h"
#include "sink/parallel.h"
#include "sink/stan_csv.h"
#include "sink/summary.h"

namespace pollen::app {

namespace {

// The most bytes to share, because they wait in memory for the slowest client.
constexpr std::int64_t kMostBytes = std::int64_t{64} << 20;
constexpr std::int64_t kBlockBytes = std::int64_t{1} << 20;
constexpr std::int64_t kBlockDraws = 256;

void send_block(ConnectionRegistry& registry, std::vector<Panel>& block, Index draws, std::int64_t first) {
  for (std::size_t c = 0; c < block.size(); ++c) {
    wire::Draws message{static_cast<std::uint32_t>(c), static_cast<std::uint64_t>(first),
                        Panel(block[c].rows(), draws)};
    for (Index i = 0; i < draws; ++i) std::ranges::copy(block[c].column(i), message.positions.column(i).begin());
    const Frame frame = std::make_shared<const Bytes>(wire::encode(message));
    for (std::uint32_t client = 0; client < registry.names().size(); ++client)
      if (registry.present(client)) registry.send(client, {&frame, 1});
  }
}

sink::RunFacts facts_of(const Participant& from) {
  sink::RunFacts facts = sink::facts_of(*from.config(), *from.recipe(), from.clients());
  facts.done = facts.iterations;
  facts.labels = from.problem()->model.labels();
  facts.notes.emplace_back("the server's draws, as it shared them; it has the counts and the scores");
  return facts;
}

}  // namespace

void share_draws(ConnectionRegistry& registry, const sink::SpoolReader& spool) {
  const sink::SpoolShape& shape = spool.shape();
  const std::int64_t bytes = 8 * shape.dimension * shape.chains;
  const std::int64_t most = std::max<std::int64_t>(1, kMostBytes / bytes);
  const std::int64_t stride = std::max<std::int64_t>(1, (spool.draws() + most - 1) / most);
  const Index size = std::clamp<std::int64_t>(kBlockBytes / (8 * shape.dimension), 1, kBlockDraws);
  std::vector<Panel> block(static_cast<std::size_t>(shape.chains), Panel(shape.dimension, size));
  Index filled = 0;
  std::int64_t sent = 0;
  spool.each([&](std::int64_t draw, std::span<const double> record) {
    if (draw % stride != 0) return;
    for (std::size_t c = 0; c < block.size(); ++c)
      std::ranges::copy(record.subspan(c * shape.width() + 1, static_cast<std::size_t>(shape.dimension)),
                        block[c].column(filled).begin());
    if (++filled < size) return;
    send_block(registry, block, filled, sent);
    sent += filled;
    filled = 0;
  });
  if (filled > 0) send_block(registry, block, filled, sent);
}

SharedDraws::SharedDraws(const std::string& folder)
    : folder_(std::filesystem::absolute(folder).lexically_normal().string()) {
  folder_.check_free();
}

void SharedDraws::begin(const Participant& from) {
  Config config = *from.config();
  if (!config.sampler.step) config.sampler.step = from.recipe()->step.size;
  config.output.dir = folder_.path();
  folder_.begin(to_toml(config));
  spool_ = std::make_unique<sink::SpoolWriter>(folder_.spool(),
                                               sink::SpoolShape{from.problem()->dimension(), config.run.chains, 0});
}

void SharedDraws::keep(const wire::Draws& message, const Participant& from) {
  if (message.chain == 0 && message.first == 0) begin(from);
  if (message.chain == 0) block_.clear();
  block_.push_back(message.positions);
  if (std::ssize(block_) < from.config()->run.chains) return;
  Panel position(message.positions.rows(), std::ssize(block_));
  for (Index i = 0; i < message.positions.columns(); ++i) {
    for (std::size_t c = 0; c < block_.size(); ++c)
      std::ranges::copy(block_[c].column(i), position.column(static_cast<Index>(c)).begin());
    spool_->append(position, {});
  }
}

std::int64_t SharedDraws::finish(const Participant& from) {
  if (!spool_) return 0;
  spool_->sync();
  const sink::RunFacts facts = facts_of(from);
  const sink::SpoolReader spool(folder_.spool());
  sink::write_stan_csv(folder_.path(), facts, spool);
  replace_file(folder_.summary(), sink::to_json(sink::summarize(facts, spool, sink::sensible_threads(1))));
  std::filesystem::remove(folder_.spool());
  return spool.draws();
}

}  // namespace pollen::app
