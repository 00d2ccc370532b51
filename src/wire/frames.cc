// Frames as bytes. Numbers are little-endian, which is how x86-64 stores them. Every length is checked before memory is
// allocated.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#include "pollen/errors.h"
#include "round/frame_size.h"
#include "wire/messages.h"

namespace pollen::wire {

namespace {

constexpr std::array<std::uint8_t, 2> kMagic = {'P', 'L'};
constexpr std::uint8_t kVersion = 3;

// The bytes before the body of a frame. Its length is not among them, because transports know it.
struct Header {
  std::array<std::uint8_t, 2> magic = kMagic;
  std::uint8_t version = kVersion, type = 0;
};
static_assert(sizeof(Header) == kFrameHeader);

void expect(const char* what, std::uint64_t found, std::uint64_t accepted) {
  if (found != accepted) throw WireError(fmt::format("frame: {} is {}, accepted: {}", what, found, accepted));
}

Header header_of(ByteView frame) {
  if (frame.size() < kFrameHeader)
    throw WireError(
        fmt::format("frame: it is cut short: found {} bytes, its header has {}", frame.size(), kFrameHeader));
  Header header;
  std::memcpy(&header, frame.data(), kFrameHeader);
  if (header.magic != kMagic)
    throw WireError(fmt::format("frame: it begins with the bytes {:#04x} {:#04x}, accepted: the letters PL",
                                header.magic[0], header.magic[1]));
  expect("the version of its format", header.version, kVersion);
  return header;
}

constexpr std::uint64_t kMostGradients = std::uint64_t{1} << 40;        // the most in one reply
constexpr std::uint64_t kMostClients = 0xffffffff, kMostChains = 4096;  // as run.chains
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;
constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 20;  // the most in a segment, as in SegmentSchedule

// A count of four bytes. Reading checks that so many items of at least `each` bytes can follow.
void count(Archive& a, std::size_t& n, std::size_t each) {
  auto found = static_cast<std::uint32_t>(n);
  a.field(found);
  if (a.reading() && found > a.left() / each)
    throw WireError(
        fmt::format("frame: found a count of {}, accepted: at most {}, which fit the frame", found, a.left() / each));
  n = found;
}

// Flags in one byte, the first in its lowest bit.
void flags(Archive& a, std::initializer_list<bool*> all) {
  unsigned bits = 0, places = 0;
  for (const bool* flag : all) bits |= (*flag ? 1U : 0U) << places++;
  auto byte = static_cast<std::uint8_t>(bits);
  a.field(byte);
  if (!a.reading()) return;
  if (byte >> places != 0)
    throw WireError(fmt::format("frame: found the flags {:#x}, accepted: those of {:#x}", byte, (1U << places) - 1));
  unsigned place = 0;
  for (bool* flag : all) *flag = (byte >> place++ & 1U) != 0;
}

void chain_list(Archive& a, std::vector<std::uint32_t>& chains) {
  std::size_t n = chains.size();
  count(a, n, sizeof(std::uint32_t));
  if (a.reading()) chains.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    a.field(chains[i]);
    if (a.reading() && i > 0 && chains[i] <= chains[i - 1])
      throw WireError(
          fmt::format("frame: found chain {} behind chain {}, accepted: ascending numbers", chains[i], chains[i - 1]));
  }
}

void check_left(const Archive& a, std::uint64_t bytes) {
  if (bytes > a.left())
    throw WireError(
        fmt::format("frame: found payloads of {} bytes, accepted: at most the {} that are left", bytes, a.left()));
}

// The sizes of n consecutive pieces and then the pieces, which are in one payload between their offsets.
void pieces(Archive& a, std::size_t n, std::vector<std::size_t>& offset, Bytes& payload) {
  if (a.reading()) offset.assign(n + 1, 0);
  if (offset.size() != n + 1) throw std::logic_error("frame: a message has other pieces than it says");
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t size = offset[i + 1] - offset[i];
    a.field(size);
    if (!a.reading()) continue;
    check_left(a, size);
    offset[i + 1] = offset[i] + size;
  }
  if (a.reading()) {
    check_left(a, offset[n]);
    payload.resize(offset[n]);
  }
  a.bytes(payload);
}

void broadcast_fields(Archive& a, Broadcast& b, std::vector<std::uint32_t>& chains, std::vector<double>& weights) {
  a.field(b.round);
  flags(a, {&b.refresh, &b.whole, &b.segment.starts, &b.segment.ends});
  a.fields(b.segment.first, b.segment.steps);
  chain_list(a, chains);
  std::size_t all = b.offset.size() - 1;
  count(a, all, sizeof(std::uint64_t));
  pieces(a, all, b.offset, b.payload);
  a.fields(b.control, b.step.size, b.step.smoothness, b.step.convexity, b.present, weights);
}

// A number that is smaller in memory than short numbers can be.
template <class Number>
void short_field(Archive& a, Number& value, const char* what, std::uint64_t most) {
  auto wide = static_cast<std::uint64_t>(value);
  a.short_number(wide);
  if (a.reading() && wide > most)
    throw WireError(fmt::format("frame: found {} as {}, accepted: 0 to {}", wide, what, most));
  value = static_cast<Number>(wide);
}

// The chains of a reply: their number, and which they are unless they count up from 0.
void answered_chains(Archive& a, bool all, std::vector<std::uint32_t>& chains) {
  std::size_t n = chains.size();
  short_field(a, n, "the number of chains", kMostChains);
  if (a.reading()) chains.resize(n);
  std::uint32_t next = 0;
  for (std::uint32_t& chain : chains) {
    std::uint32_t skipped = all || a.reading() ? 0 : chain - next;
    if (!all) short_field(a, skipped, "a number of chains that are left out", kMostChains);
    if (a.reading()) chain = next + skipped;
    if (a.reading() && chain >= kMostChains)
      throw WireError(fmt::format("frame: found chain {}, accepted: below {}", chain, kMostChains));
    next = chain + 1;
  }
  if (all != counts_up(chains))
    throw WireError("frame: found a list of all chains, accepted: one that leaves some out");
}

// The lengths of all pieces but the last, which ends with the frame. A single bit string is the first piece.
void reply_pieces(Archive& a, Reply& r) {
  const std::size_t n = r.silent ? 0 : r.chains.size();
  if (a.reading()) r.offset.assign(n + 1, 0);
  if (r.offset.size() != n + 1) throw std::logic_error("frame: a message has other pieces than it says");
  for (std::size_t i = 0; i + 1 < n && !r.joined; ++i) {
    std::uint64_t size = r.offset[i + 1] - r.offset[i];
    a.short_number(size);
    if (!a.reading()) continue;
    check_left(a, size);
    r.offset[i + 1] = r.offset[i] + size;
  }
  if (a.reading()) {
    const std::size_t rest = a.left();
    if (n > 1 && !r.joined) check_left(a, r.offset[n - 1]);
    if (n == 0 && rest > 0) throw WireError(fmt::format("frame: found {} bytes of payloads, accepted: none", rest));
    r.payload.resize(rest);
    std::fill(r.offset.begin() + static_cast<std::ptrdiff_t>(r.joined ? std::min<std::size_t>(n, 1) : n),
              r.offset.end(), rest);
  }
  a.bytes(r.payload);
}

void reply_fields(Archive& a, Reply& r) {
  bool all = counts_up(r.chains), learnt = r.joined && r.code.updates > 0;
  flags(a, {&r.whole, &r.silent, &r.joined, &r.refreshes, &all, &learnt});
  a.short_number(r.round);
  short_field(a, r.client, "a client", kMostClients);
  a.short_number(r.first);
  short_field(a, r.gradients, "gradients in a reply", kMostGradients);
  answered_chains(a, all, r.chains);
  if (a.reading()) r.code = {}, r.reference_bytes = 0;
  if (learnt) a.short_number(r.code.updates);
  if (learnt != (r.joined && r.code.updates > 0))
    throw WireError("frame: found a flag for counted messages without any, accepted: with at least one");
  if (r.refreshes) short_field(a, r.reference_bytes, "the bytes of references", a.reading() ? a.left() : kMostBytes);
  reply_pieces(a, r);
}

}  // namespace

Type type_of(ByteView frame) {
  const std::uint8_t type = header_of(frame).type;
  constexpr auto kFirst = static_cast<std::uint8_t>(Type::broadcast),
                 kLast = static_cast<std::uint8_t>(Type::code_seed);
  if (type < kFirst || type > kLast)
    throw WireError(fmt::format("frame: found a message of type {}, accepted: {} to {}", type, kFirst, kLast));
  return static_cast<Type>(type);
}

Archive begin(Type type, Bytes memory) {
  const Header header{.type = static_cast<std::uint8_t>(type)};
  memory.resize(kFrameHeader);
  std::memcpy(memory.data(), &header, kFrameHeader);
  return Archive::behind(std::move(memory));
}

Bytes finish(Archive& frame) { return frame.take(); }

ByteView open(ByteView frame, Type type) {
  expect("the type of its message", header_of(frame).type, static_cast<std::uint8_t>(type));
  return frame.subspan(kFrameHeader);
}

void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out,
            std::span<const double> weights) {
  Archive frame = begin(Type::broadcast, std::move(out));
  std::vector<std::uint32_t> listed(chains.begin(), chains.end());
  std::vector<double> weighed(weights.begin(), weights.end());
  broadcast_fields(frame, const_cast<Broadcast&>(broadcast), listed, weighed);  // writing does not change it
  out = finish(frame);
}

void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains, std::vector<double>* told) {
  Archive body(open(frame, Type::broadcast));
  std::vector<double> weights;
  broadcast_fields(body, broadcast, chains, weights);
  body.finish();
  if (broadcast.segment.steps > kMostSteps)
    throw WireError(
        fmt::format("frame: found a segment of {} steps, accepted: at most {}", broadcast.segment.steps, kMostSteps));
  const std::size_t all = broadcast.offset.size() - 1;
  if (!chains.empty() && chains.back() >= all)
    throw WireError(fmt::format("frame: found chain {}, accepted: below {}, the chains it has", chains.back(), all));
  if (!broadcast.present.empty() && broadcast.present.size() != all)
    throw WireError(
        fmt::format("frame: found {} counts of clients, accepted: none or {}", broadcast.present.size(), all));
  if (!weights.empty() && (told == nullptr || weights.size() != chains.size()))
    throw WireError(fmt::format("frame: found {} weights, accepted: {}", weights.size(),
                                told == nullptr ? "none" : fmt::format("none or {}", chains.size())));
  for (const double weight : weights)
    if (!std::isfinite(weight) || weight <= 0)
      throw WireError(fmt::format("frame: found the weight {}, accepted: finite, above 0", weight));
  for (const double x : {broadcast.step.size, broadcast.step.smoothness, broadcast.step.convexity})
    if (!std::isfinite(x) || x < 0)
      throw WireError(fmt::format("frame: found {} for a step or its constants, accepted: finite, not below 0", x));
  if (told != nullptr) *told = std::move(weights);
}

void encode(const Reply& reply, Bytes& out) {
  Archive frame = begin(Type::reply, std::move(out));
  reply_fields(frame, const_cast<Reply&>(reply));  // writing does not change it
  out = finish(frame);
}

void decode(ByteView frame, Reply& reply) {
  Archive body(open(frame, Type::reply));
  reply_fields(body, reply);
  body.finish();
  reply.has_bytes = true;
  reply.bits.resize(reply.offset.size() - 1);
  for (std::size_t p = 0; p < reply.bits.size(); ++p)
    reply.bits[p] = 8 * static_cast<std::int64_t>(reply.offset[p + 1] - reply.offset[p]);
}

}  // namespace pollen::wire
