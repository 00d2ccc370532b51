#include "round/frame_size.h"

namespace pollen {

std::int64_t frame_bits(const Reply& reply) {
  std::int64_t bytes = kReplyFrame + short_bytes(reply.round) + short_bytes(reply.client) + short_bytes(reply.first) +
                       short_bytes(static_cast<std::uint64_t>(reply.gradients)) + short_bytes(reply.chains.size());
  if (!counts_up(reply.chains)) {
    std::uint32_t next = 0;
    for (const std::uint32_t chain : reply.chains) {
      bytes += short_bytes(chain - next);
      next = chain + 1;
    }
  }
  if (reply.joined && reply.code.updates > 0) bytes += short_bytes(reply.code.updates);
  if (reply.refreshes) bytes += short_bytes(reply.reference_bytes);
  std::int64_t bits = 0;
  for (std::size_t p = 0; p < reply.bits.size(); ++p) {
    bits += reply.bits[p];
    if (!reply.joined && p + 1 < reply.bits.size()) bytes += short_bytes(static_cast<std::uint64_t>(reply.bits[p] / 8));
  }
  return 8 * bytes + bits;
}

}  // namespace pollen
