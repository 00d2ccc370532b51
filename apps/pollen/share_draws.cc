#include "share_draws.h"

#include <algorithm>

namespace pollen::app {

namespace {

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

}  // namespace

// Shares no more than kMostShared, because it waits in memory for the slowest client.
void share_draws(ConnectionRegistry& registry, const sink::SpoolReader& spool) {
  const sink::SpoolShape& shape = spool.shape();
  const std::int64_t bytes = 8 * shape.dimension * shape.chains;
  const std::int64_t most = std::max<std::int64_t>(1, kMostShared / bytes);
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

}  // namespace pollen::app
