// Frames as bytes. Numbers are little-endian, which is how x86-64 stores them. Every length is checked before memory is
// allocated.
#include <fmt/format.h>

#include <cmath>
#include <cstddef>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#include "pollen/errors.h"
#include "wire/messages.h"

namespace pollen::wire {

namespace {

constexpr std::uint32_t kMagic = 0x4e4c4f50;  // "POLN"
constexpr std::uint16_t kVersion = 2;

// The bytes before the body of a frame.
struct Header {
  std::uint32_t magic = kMagic;
  std::uint16_t version = kVersion, type = 0;
  std::uint64_t body = 0;  // the body's length
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
    throw WireError(
        fmt::format("frame: it begins with {:#010x}, accepted: {:#010x}, the letters POLN", header.magic, kMagic));
  expect("the version of its format", header.version, kVersion);
  expect("the length of its body", header.body, frame.size() - kFrameHeader);
  return header;
}

constexpr std::int64_t kMostGradients = std::int64_t{1} << 40;  // the most in one reply
constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 20;    // the most in a segment, as in SegmentSchedule

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

void broadcast_fields(Archive& a, Broadcast& b, std::vector<std::uint32_t>& chains) {
  a.field(b.round);
  flags(a, {&b.refresh, &b.whole, &b.segment.starts, &b.segment.ends});
  a.fields(b.segment.first, b.segment.steps);
  chain_list(a, chains);
  std::size_t all = b.offset.size() - 1;
  count(a, all, sizeof(std::uint64_t));
  pieces(a, all, b.offset, b.payload);
  a.fields(b.control, b.step.size, b.step.smoothness, b.step.convexity);
}

void reply_fields(Archive& a, Reply& r) {
  a.fields(r.round, r.client);
  flags(a, {&r.whole, &r.silent});
  a.fields(r.first, r.gradients);
  chain_list(a, r.chains);
  pieces(a, r.silent ? 0 : r.chains.size(), r.offset, r.payload);
}

void index(Archive& a, Index& value) {
  std::int64_t wide = value;
  a.field(wide);
  if (wide < 0) throw WireError(fmt::format("message: found the count {}, accepted: 0 or more", wide));
  value = static_cast<Index>(wide);
}

void facts(Archive& a, ColumnFacts& f) {
  a.fields(f.columns, f.target);
  index(a, f.width);
  std::vector<std::string> names;
  for (const auto& [name, levels] : f.levels) names.push_back(name);
  a.texts(names);
  if (a.reading()) f.levels.clear();
  for (const std::string& name : names) a.texts(f.levels[name]);
}

}  // namespace

Type type_of(ByteView frame) {
  const std::uint16_t type = header_of(frame).type;
  constexpr auto kFirst = static_cast<std::uint16_t>(Type::broadcast), kLast = static_cast<std::uint16_t>(Type::end);
  if (type < kFirst || type > kLast)
    throw WireError(fmt::format("frame: found a message of type {}, accepted: {} to {}", type, kFirst, kLast));
  return static_cast<Type>(type);
}

Archive begin(Type type, Bytes memory) {
  const Header header{.type = static_cast<std::uint16_t>(type)};
  memory.resize(kFrameHeader);
  std::memcpy(memory.data(), &header, kFrameHeader);
  return Archive::behind(std::move(memory));
}

Bytes finish(Archive& frame) {
  Bytes bytes = frame.take();
  const std::uint64_t body = bytes.size() - kFrameHeader;
  std::memcpy(bytes.data() + offsetof(Header, body), &body, sizeof(body));
  return bytes;
}

ByteView open(ByteView frame, Type type) {
  expect("the type of its message", header_of(frame).type, static_cast<std::uint16_t>(type));
  return frame.subspan(kFrameHeader);
}

void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out) {
  Archive frame = begin(Type::broadcast, std::move(out));
  std::vector<std::uint32_t> listed(chains.begin(), chains.end());
  broadcast_fields(frame, const_cast<Broadcast&>(broadcast), listed);  // writing does not change it
  out = finish(frame);
}

void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains) {
  Archive body(open(frame, Type::broadcast));
  broadcast_fields(body, broadcast, chains);
  body.finish();
  if (broadcast.segment.steps > kMostSteps)
    throw WireError(
        fmt::format("frame: found a segment of {} steps, accepted: at most {}", broadcast.segment.steps, kMostSteps));
  const std::size_t all = broadcast.offset.size() - 1;
  if (!chains.empty() && chains.back() >= all)
    throw WireError(fmt::format("frame: found chain {}, accepted: below {}, the chains it has", chains.back(), all));
  for (const double x : {broadcast.step.size, broadcast.step.smoothness, broadcast.step.convexity})
    if (!std::isfinite(x) || x < 0)
      throw WireError(fmt::format("frame: found {} for a step or its constants, accepted: finite, not below 0", x));
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
  if (reply.gradients < 0 || reply.gradients > kMostGradients)
    throw WireError(
        fmt::format("frame: found {} gradients in a reply, accepted: 0 to {}", reply.gradients, kMostGradients));
  reply.has_bytes = true;
  reply.bits.resize(reply.offset.size() - 1);
  for (std::size_t p = 0; p < reply.bits.size(); ++p)
    reply.bits[p] = 8 * static_cast<std::int64_t>(reply.offset[p + 1] - reply.offset[p]);
}

void Columns::archive(Archive& a) { wire::facts(a, facts); }
void Layout::archive(Archive& a) { wire::facts(a, facts); }

void Site::archive(Archive& a) {
  index(a, facts.features);
  index(a, facts.classes);
  a.fields(facts.feature_names, facts.class_names);
  index(a, facts.rows);
  a.flag(facts.curvature_is_bound);
  ColumnScaling& s = facts.scaling;
  a.fields(s.mean, s.sd, s.target, s.raw_mean, s.raw_sd, facts.shows_curvature);
}

void Answer::archive(Archive& a) {
  a.fields(number, single);
  a.panel(values, single);
}

Ask Ask::of(const Query& query, ConstPanelView answer) {
  return {0,
          static_cast<std::uint8_t>(query.what),
          copy_of(query.at),
          copy_of(query.direction),
          answer.rows,
          answer.columns,
          query.step};
}

Query Ask::query(Index batch) const { return {static_cast<Query::What>(what), at, direction, step, batch}; }

}  // namespace pollen::wire
