// Frames as bytes. Numbers are little-endian, which is how x86-64 stores them. Every length is checked before memory is
// allocated.
#include <fmt/format.h>

#include <cmath>
#include <cstring>

#include "pollen/errors.h"
#include "wire/messages.h"

namespace pollen::wire {

namespace {

constexpr std::uint32_t kMagic = 0x4e4c4f50;  // "POLN"
constexpr std::uint16_t kVersion = 2;

class Writer {
 public:
  Writer(Bytes& out, Type type) : out_(out) {
    out_.clear();
    put(kMagic);
    put(kVersion);
    put(static_cast<std::uint16_t>(type));
    put(std::uint64_t{0});  // the body's length; finish() fills it in
  }
  template <class T>
  void put(T value) {
    put_bytes(&value, sizeof(T));
  }
  void put_bytes(const void* data, std::size_t size) {
    if (size == 0) return;
    const std::size_t at = out_.size();
    out_.resize(at + size);
    std::memcpy(out_.data() + at, data, size);
  }
  void finish() {
    const std::uint64_t body = out_.size() - kFrameHeader;
    std::memcpy(out_.data() + 8, &body, sizeof(body));
  }

 private:
  Bytes& out_;
};

class Reader {
 public:
  Reader(ByteView frame, Type type) : left_(frame) {
    if (const auto magic = get<std::uint32_t>(); magic != kMagic)
      throw WireError(
          fmt::format("frame: it begins with {:#010x}, accepted: {:#010x}, the letters POLN", magic, kMagic));
    expect("the version of its format", get<std::uint16_t>(), kVersion);
    expect("the type of its message", get<std::uint16_t>(), static_cast<std::uint16_t>(type));
    const auto body = get<std::uint64_t>();
    expect("the length of its body", body, left_.size());
  }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  ByteView take(std::size_t size) {
    if (size > left_.size())
      throw WireError(fmt::format("frame: it is cut short: found {} bytes where {} must follow", left_.size(), size));
    const ByteView taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  // Reads a count of items and checks that so many items of at least `each` bytes can follow.
  std::size_t count(std::size_t each) {
    const std::size_t n = get<std::uint32_t>();
    if (n > left_.size() / each)
      throw WireError(
          fmt::format("frame: found a count of {}, accepted: at most {}, which fit the frame", n, left_.size() / each));
    return n;
  }
  std::uint8_t flags(std::uint8_t known) {
    const auto value = get<std::uint8_t>();
    if ((value & ~known) != 0)
      throw WireError(fmt::format("frame: found the flags {:#x}, accepted: those of {:#x}", value, known));
    return value;
  }
  // Reads the sizes of n consecutive pieces and then the pieces, into offsets and one payload.
  void pieces(std::size_t n, std::vector<std::size_t>& offset, Bytes& payload) {
    offset.resize(n + 1);
    offset[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto size = get<std::uint64_t>();
      if (size > left_.size())
        throw WireError(fmt::format("frame: found a payload of {} bytes, accepted: at most the {} that are left", size,
                                    left_.size()));
      offset[i + 1] = offset[i] + size;
    }
    const ByteView bytes = take(offset[n]);
    payload.assign(bytes.begin(), bytes.end());
  }
  void finish() const {
    if (!left_.empty()) throw WireError(fmt::format("frame: found {} bytes behind its end", left_.size()));
  }

 private:
  static void expect(const char* what, std::uint64_t found, std::uint64_t accepted) {
    if (found != accepted) throw WireError(fmt::format("frame: {} is {}, accepted: {}", what, found, accepted));
  }

  ByteView left_;
};

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
    if (i > 0 && chains[i] <= chains[i - 1])
      throw WireError(
          fmt::format("frame: found chain {} behind chain {}, accepted: ascending numbers", chains[i], chains[i - 1]));
  }
}

void put_pieces(Writer& writer, const std::vector<std::size_t>& offset, const Bytes& payload) {
  for (std::size_t i = 0; i + 1 < offset.size(); ++i) writer.put(static_cast<std::uint64_t>(offset[i + 1] - offset[i]));
  writer.put_bytes(payload.data(), payload.size());
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
  if (frame.size() < kFrameHeader)
    throw WireError(
        fmt::format("frame: it is cut short: found {} bytes, its header has {}", frame.size(), kFrameHeader));
  std::uint16_t type = 0;
  std::memcpy(&type, frame.data() + 6, sizeof(type));
  constexpr auto kFirst = static_cast<std::uint16_t>(Type::broadcast), kLast = static_cast<std::uint16_t>(Type::end);
  if (type < kFirst || type > kLast)
    throw WireError(fmt::format("frame: found a message of type {}, accepted: {} to {}", type, kFirst, kLast));
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
  if (broadcast.segment.steps > kMostSteps)
    throw WireError(
        fmt::format("frame: found a segment of {} steps, accepted: at most {}", broadcast.segment.steps, kMostSteps));
  get_chains(reader, chains);
  const std::size_t n = reader.count(sizeof(std::uint64_t));
  if (!chains.empty() && chains.back() >= n)
    throw WireError(fmt::format("frame: found chain {}, accepted: below {}, the chains it has", chains.back(), n));
  reader.pieces(n, broadcast.offset, broadcast.payload);
  const ByteView control = reader.take(reader.get<std::uint64_t>());
  broadcast.control.assign(control.begin(), control.end());
  for (double* x : {&broadcast.step.size, &broadcast.step.smoothness, &broadcast.step.convexity}) {
    *x = reader.get<double>();
    if (!std::isfinite(*x) || *x < 0)
      throw WireError(fmt::format("frame: found {} for a step or its constants, accepted: finite, not below 0", *x));
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
    throw WireError(
        fmt::format("frame: found {} gradients in a reply, accepted: 0 to {}", reply.gradients, kMostGradients));
  get_chains(reader, reply.chains);
  const std::size_t parts = reply.silent ? 0 : reply.chains.size();
  reader.pieces(parts, reply.offset, reply.payload);
  reader.finish();
  reply.has_bytes = true;
  reply.bits.resize(parts);
  for (std::size_t p = 0; p < reply.bits.size(); ++p)
    reply.bits[p] = 8 * static_cast<std::int64_t>(reply.offset[p + 1] - reply.offset[p]);
}

void seal(Type type, const Bytes& body, Bytes& out) {
  Writer writer(out, type);
  writer.put_bytes(body.data(), body.size());
  writer.finish();
}

ByteView open(ByteView frame, Type type) {
  Reader reader(frame, type);
  return frame.subspan(kFrameHeader);
}

void Columns::archive(Archive& a) { wire::facts(a, facts); }
void Layout::archive(Archive& a) { wire::facts(a, facts); }

void Site::archive(Archive& a) {
  index(a, facts.features);
  index(a, facts.classes);
  a.fields(facts.feature_names, facts.class_names);
  index(a, facts.rows);
  a.flag(facts.curvature_is_bound);
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
