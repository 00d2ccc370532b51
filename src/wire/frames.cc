#include <cmath>

#include "codec.h"

namespace pollen::wire {

namespace {

constexpr std::int64_t kMostGradients = std::int64_t{1} << 40;  // the most in one reply
constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 20;    // the most in a segment, as in SegmentSchedule

void put_chains(Writer& writer, std::span<const std::uint32_t> chains) {
  writer.put(static_cast<std::uint32_t>(chains.size()));
  writer.put_bytes(chains.data(), chains.size_bytes());
}

void get_chains(Reader& reader, std::vector<std::uint32_t>& chains) {
  chains.resize(reader.count(sizeof(std::uint32_t)));
  for (std::size_t i = 0; i < chains.size(); ++i) {
    chains[i] = reader.get<std::uint32_t>();
    if (i > 0 && chains[i] <= chains[i - 1]) throw WireError("frame: chains are not in order");
  }
}

void put_pieces(Writer& writer, const std::vector<std::size_t>& offset, const Bytes& payload) {
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) writer.put(static_cast<std::uint64_t>(offset[i + 1] - offset[i]));
  writer.put_bytes(payload.data(), payload.size());
}

}  // namespace

Type type_of(ByteView frame) {
  if (frame.size() < kFrameHeader) throw WireError("frame: cut short");
  std::uint16_t type = 0;
  std::memcpy(&type, frame.data() + 6, sizeof(type));
  if (type < static_cast<std::uint16_t>(Type::broadcast) || type > static_cast<std::uint16_t>(Type::end))
    throw WireError("frame: of no known kind");
  Reader check(frame, static_cast<Type>(type));
  return static_cast<Type>(type);
}

void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out) {
  Writer writer(out, Type::broadcast);
  writer.put(broadcast.round);
  writer.put(static_cast<std::uint8_t>((broadcast.refresh ? 1 : 0) | (broadcast.whole ? 2 : 0) |
                                       (broadcast.segment.starts ? 4 : 0) | (broadcast.segment.ends ? 8 : 0)));
  writer.put(broadcast.segment.first);
  writer.put(broadcast.segment.steps);
  put_chains(writer, chains);
  writer.put(static_cast<std::uint32_t>(broadcast.offset.size() - 1));
  put_pieces(writer, broadcast.offset, broadcast.payload);
  writer.put(static_cast<std::uint64_t>(broadcast.control.size()));
  writer.put_bytes(broadcast.control.data(), broadcast.control.size());
  for (const double x : {broadcast.step.size, broadcast.step.smoothness, broadcast.step.convexity}) writer.put(x);
  writer.finish();
}

void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains) {
  Reader reader(frame, Type::broadcast);
  broadcast.round = reader.get<std::uint64_t>();
  const std::uint8_t flags = reader.flags(15);
  broadcast.refresh = (flags & 1) != 0;
  broadcast.whole = (flags & 2) != 0;
  broadcast.segment.starts = (flags & 4) != 0;
  broadcast.segment.ends = (flags & 8) != 0;
  broadcast.segment.first = reader.get<std::uint64_t>();
  broadcast.segment.steps = reader.get<std::uint32_t>();
  if (broadcast.segment.steps > kMostSteps) throw WireError("frame: a segment of too many steps");
  get_chains(reader, chains);
  const std::size_t n = reader.count(sizeof(std::uint64_t));
  if (!chains.empty() && chains.back() >= n) throw WireError("frame: a chain that is not there");
  reader.pieces(n, broadcast.offset, broadcast.payload);
  const ByteView control = reader.take(reader.get<std::uint64_t>());
  broadcast.control.assign(control.begin(), control.end());
  for (double* x : {&broadcast.step.size, &broadcast.step.smoothness, &broadcast.step.convexity}) {
    *x = reader.get<double>();
    if (!std::isfinite(*x) || *x < 0) throw WireError("frame: an impossible step");
  }
  reader.finish();
}

void encode(const Reply& reply, Bytes& out) {
  Writer writer(out, Type::reply);
  writer.put(reply.round);
  writer.put(reply.client);
  writer.put(static_cast<std::uint8_t>((reply.whole ? 1 : 0) | (reply.silent ? 2 : 0)));
  writer.put(reply.first);
  writer.put(reply.gradients);
  put_chains(writer, reply.chains);
  put_pieces(writer, reply.offset, reply.payload);
  writer.finish();
}

void decode(ByteView frame, Reply& reply) {
  Reader reader(frame, Type::reply);
  reply.round = reader.get<std::uint64_t>();
  reply.client = reader.get<std::uint32_t>();
  const std::uint8_t flags = reader.flags(3);
  reply.whole = (flags & 1) != 0;
  reply.silent = (flags & 2) != 0;
  reply.first = reader.get<std::uint64_t>();
  reply.gradients = reader.get<std::int64_t>();
  if (reply.gradients < 0 || reply.gradients > kMostGradients)
    throw WireError("frame: an impossible count of gradients");
  get_chains(reader, reply.chains);
  const std::size_t parts = reply.silent ? 0 : reply.chains.size();
  reader.pieces(parts, reply.offset, reply.payload);
  reader.finish();
  reply.has_bytes = true;
  reply.bits.resize(parts);
  for (std::size_t p = 0; p < reply.bits.size(); ++p)
    reply.bits[p] = 8 * static_cast<std::int64_t>(reply.offset[p + 1] - reply.offset[p]);
}

}  // namespace pollen::wire
