#include <cstring>

#include "pollen/errors.h"
#include "pollen/wire.h"

namespace pollen::wire {

namespace {

constexpr std::uint32_t kMagic = 0x4e4c4f50;  // "POLN"
constexpr std::uint16_t kVersion = 2;
constexpr std::uint32_t kMostSteps = std::uint32_t{1} << 20;  // of a leg, as LegSchedule has it
enum class Type : std::uint16_t { broadcast = 1, reply = 2 };

// Little-endian, as x86-64 stores numbers.
class Writer {
 public:
  Writer(Bytes& out, Type type) : out_(out) {
    out_.clear();
    put(kMagic);
    put(kVersion);
    put(static_cast<std::uint16_t>(type));
    put(std::uint64_t{0});  // the body's length, known at the end
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
    if (get<std::uint32_t>() != kMagic) throw WireError("frame: not one of pollen's");
    if (get<std::uint16_t>() != kVersion) throw WireError("frame: another version of the format");
    if (get<std::uint16_t>() != static_cast<std::uint16_t>(type)) throw WireError("frame: another kind than expected");
    if (get<std::uint64_t>() != left_.size()) throw WireError("frame: its length is wrong");
  }
  template <class T>
  T get() {
    T value;
    std::memcpy(&value, take(sizeof(T)).data(), sizeof(T));
    return value;
  }
  ByteView take(std::size_t size) {
    if (size > left_.size()) throw WireError("frame: cut short");
    const ByteView taken = left_.first(size);
    left_ = left_.subspan(size);
    return taken;
  }
  // A count of items of at least `each` bytes that must still be there.
  std::size_t count(std::size_t each) {
    const std::size_t n = get<std::uint32_t>();
    if (n > left_.size() / each) throw WireError("frame: a count is larger than the frame");
    return n;
  }
  std::uint8_t flags(std::uint8_t known) {
    const auto value = get<std::uint8_t>();
    if ((value & ~known) != 0) throw WireError("frame: unknown flags");
    return value;
  }
  // Sizes of consecutive pieces, then the pieces: into offsets and one payload.
  void pieces(std::size_t n, std::vector<std::size_t>& offset, Bytes& payload) {
    offset.resize(n + 1);
    offset[0] = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const auto size = get<std::uint64_t>();
      if (size > left_.size()) throw WireError("frame: a payload is longer than the frame");
      offset[i + 1] = offset[i] + size;
    }
    const ByteView bytes = take(offset[n]);
    payload.assign(bytes.begin(), bytes.end());
  }
  void finish() const {
    if (!left_.empty()) throw WireError("frame: bytes left over");
  }

 private:
  ByteView left_;
};

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

void encode(const Broadcast& broadcast, std::span<const std::uint32_t> chains, Bytes& out) {
  Writer writer(out, Type::broadcast);
  writer.put(broadcast.round);
  writer.put(static_cast<std::uint8_t>((broadcast.refresh ? 1 : 0) | (broadcast.whole ? 2 : 0) |
                                       (broadcast.leg.starts ? 4 : 0) | (broadcast.leg.ends ? 8 : 0)));
  writer.put(broadcast.leg.first);
  writer.put(broadcast.leg.steps);
  put_chains(writer, chains);
  writer.put(static_cast<std::uint32_t>(broadcast.offset.size() - 1));
  put_pieces(writer, broadcast.offset, broadcast.payload);
  writer.put(static_cast<std::uint64_t>(broadcast.control.size()));
  writer.put_bytes(broadcast.control.data(), broadcast.control.size());
  writer.finish();
}

void decode(ByteView frame, Broadcast& broadcast, std::vector<std::uint32_t>& chains) {
  Reader reader(frame, Type::broadcast);
  broadcast.round = reader.get<std::uint64_t>();
  const std::uint8_t flags = reader.flags(15);
  broadcast.refresh = (flags & 1) != 0;
  broadcast.whole = (flags & 2) != 0;
  broadcast.leg.starts = (flags & 4) != 0;
  broadcast.leg.ends = (flags & 8) != 0;
  broadcast.leg.first = reader.get<std::uint64_t>();
  broadcast.leg.steps = reader.get<std::uint32_t>();
  if (broadcast.leg.steps > kMostSteps) throw WireError("frame: a leg of too many steps");
  get_chains(reader, chains);
  const std::size_t n = reader.count(sizeof(std::uint64_t));
  if (!chains.empty() && chains.back() >= n) throw WireError("frame: a chain that is not there");
  reader.pieces(n, broadcast.offset, broadcast.payload);
  const ByteView control = reader.take(reader.get<std::uint64_t>());
  broadcast.control.assign(control.begin(), control.end());
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
