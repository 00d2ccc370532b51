#include "index_set.h"

#include <algorithm>

#include "elias.h"
#include "payload.h"

namespace pollen::compress {
namespace {

unsigned rice_bits(std::size_t d, std::size_t k) { return log2_floor(d / k); }

std::uint64_t length_of(Indices indices, unsigned b) {
  std::uint64_t length = indices.size() * (b + 1);
  std::uint64_t next = 0;  // the lowest value that the next index can have
  for (const std::uint32_t index : indices) {
    length += (index - next) >> b;
    next = std::uint64_t{index} + 1;
  }
  return length;
}

BitWriter put_indices(BitWriter writer, Indices indices, unsigned b) {
  const std::uint64_t low = (std::uint64_t{1} << b) - 1;
  std::uint64_t next = 0;
  for (const std::uint32_t index : indices) {
    const std::uint64_t skipped = index - next;
    std::uint64_t zeros = skipped >> b;
    for (; zeros + 1 + b > BitWriter::kMost; zeros -= 24) writer.put(0, 24);  // b ≤ 31, so at least 25 zeros are left
    writer.put((skipped & low) | (low + 1), static_cast<unsigned>(zeros) + 1 + b);
    next = std::uint64_t{index} + 1;
  }
  return writer;
}

// Reads a unary number: counts the zero bits before the next one bit and skips that one bit, too.
std::uint64_t take_unary(BitReader& reader, std::uint64_t most) {
  std::uint64_t zeros = 0;
  for (;;) {
    reader.refill();
    const unsigned run = leading_zeros(reader.window());
    zeros += std::min(run, BitReader::kMost);
    if (zeros > most) wire_error(zeros, "zeros before an index", "at most", most);
    if (run < BitReader::kMost) {
      reader.skip(run + 1);
      return zeros;
    }
    reader.skip(BitReader::kMost);
  }
}

BitReader place(BitReader reader, std::span<const double> values, std::span<double> out) {
  const std::size_t d = out.size();
  const unsigned b = rice_bits(d, values.size());
  std::fill(out.begin(), out.end(), 0.0);
  std::uint64_t next = 0;
  for (const double value : values) {
    const std::uint64_t high = take_unary(reader, d >> b) << b;
    reader.refill();
    const std::uint64_t index = next + high + (b == 0 ? 0 : reader.window() >> (64 - b));
    reader.skip(b);
    if (index >= d) wire_error(index, "as an index", "below", d);
    out[index] = value;
    next = index + 1;
  }
  return reader;
}

}  // namespace

std::int64_t encode_index_sets(Indices indices, std::span<const Encoding> parts, int bits, Bytes* payload,
                               Scratch& scratch) {
  const std::size_t k = indices.size() / parts.size();
  const unsigned b = rice_bits(parts.front().v.size(), k);
  const std::size_t value_bytes = indices.size() * static_cast<std::size_t>(bits / 8);
  std::uint64_t index_bits = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) index_bits += length_of(indices.subspan(p * k, k), b);
  const std::size_t bytes = value_bytes + bytes_of_bits(index_bits);
  if (payload == nullptr) return static_cast<std::int64_t>(bytes * 8);
  Scratch::Frame frame(scratch);
  const std::span<double> values = scratch.take<double>(static_cast<Index>(indices.size()));
  for (std::size_t i = 0; i < indices.size(); ++i) values[i] = parts[i / k].decoded[indices[i]];
  Appended room(*payload, bytes);
  put_words(values, bits, room.data());
  BitWriter writer(room.data() + value_bytes);
  for (std::size_t p = 0; p < parts.size(); ++p) writer = put_indices(writer, indices.subspan(p * k, k), b);
  return static_cast<std::int64_t>(bytes * 8);
}

void decode_index_sets(ByteView payload, Index k, int bits, std::span<const Decoding> parts, Scratch& scratch) {
  Scratch::Frame frame(scratch);
  const auto each = static_cast<std::size_t>(k);
  const std::span<double> values = scratch.take<double>(k * std::ssize(parts));
  const std::size_t value_bytes = values.size() * static_cast<std::size_t>(bits / 8);
  if (each > parts.front().out.size()) wire_error(each, "values", "at most", parts.front().out.size());
  if (payload.size() < value_bytes) wire_error(payload.size(), "bytes", "at least", value_bytes);
  take_words(payload.data(), bits, values);
  BitReader reader(payload.subspan(value_bytes));
  for (std::size_t p = 0; p < parts.size(); ++p) reader = place(reader, values.subspan(p * each, each), parts[p].out);
  reader.finish();
}

}  // namespace pollen::compress
