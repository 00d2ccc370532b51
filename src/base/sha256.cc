#include "base/sha256.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "sha256_blocks.h"

namespace pollen {

void Sha256::add(ByteView bytes) {
  const std::size_t held = length_ % rest_.size();
  length_ += bytes.size();
  if (held > 0) {
    const std::size_t more = std::min(bytes.size(), rest_.size() - held);
    std::copy_n(bytes.begin(), more, rest_.begin() + static_cast<std::ptrdiff_t>(held));
    bytes = bytes.subspan(more);
    if (held + more < rest_.size()) return;
    fastest_sha256_blocks()(state_.data(), rest_.data(), 1);
  }
  const std::size_t blocks = bytes.size() / rest_.size();
  fastest_sha256_blocks()(state_.data(), bytes.data(), blocks);
  bytes = bytes.subspan(blocks * rest_.size());
  std::ranges::copy(bytes, rest_.begin());
}

void Sha256::add_number(std::uint64_t number) {
  std::array<std::uint8_t, sizeof number> bytes;
  std::memcpy(bytes.data(), &number, sizeof number);
  add(bytes);
}

Digest Sha256::end() {
  std::array<std::uint8_t, 8> bits;
  for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<std::uint8_t>(8 * length_ >> (56 - 8 * i));
  constexpr std::array<std::uint8_t, 64> kPadding = {0x80};
  add(ByteView(kPadding).first(1 + (119 - length_ % 64) % 64));
  add(bits);
  Digest digest;
  for (std::size_t i = 0; i < digest.size(); ++i)
    digest[i] = static_cast<std::uint8_t>(state_[i / 4] >> (24 - 8 * (i % 4)));
  return digest;
}

Digest sha256(ByteView bytes) {
  Sha256 hash;
  hash.add(bytes);
  return hash.end();
}

Digest sha256(std::string_view text) {
  Sha256 hash;
  hash.add(text);
  return hash.end();
}

Digest hmac_sha256(std::string_view key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  std::array<std::uint8_t, kBlock> block = {};
  if (key.size() > kBlock)
    std::ranges::copy(sha256(key), block.begin());
  else
    std::ranges::copy(key, block.begin());
  const auto padded_with = [&](std::uint8_t pad) {
    std::array<std::uint8_t, kBlock> bytes = block;
    for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(byte ^ pad);
    return bytes;
  };
  Sha256 inner, outer;
  inner.add(padded_with(0x36));
  inner.add(text);
  outer.add(padded_with(0x5c));
  outer.add(inner.end());
  return outer.end();
}

std::string hex(const Digest& digest) {
  std::string text;
  for (const std::uint8_t byte : digest) text += fmt::format("{:02x}", byte);
  return text;
}

std::optional<std::string> hex_as_written(std::string_view text) {
  constexpr std::size_t kDigits = 2 * std::tuple_size_v<Digest>, kColon = 3;
  const bool colons = text.size() == kDigits / 2 * kColon - 1;
  std::string digits;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (colons && i % kColon == 2) {
      if (text[i] != ':') return {};
    } else {
      digits += text[i] >= 'A' && text[i] <= 'F' ? static_cast<char>(text[i] - 'A' + 'a') : text[i];
    }
  }
  if (digits.size() != kDigits || digits.find_first_not_of("0123456789abcdef") != std::string::npos) return {};
  return digits;
}

}  // namespace pollen
