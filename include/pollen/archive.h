// State to bytes and back with one function per type: archive(a) lists its fields; the archive reads or writes them.
//
//   struct Counter { std::int64_t n; std::string of; void archive(Archive& a) { a.fields(n, of); } };
//   Archive out; counter.archive(out); const Bytes saved = out.take();
//   Archive in(saved); counter.archive(in); in.finish();
//
// Little-endian; sizes are written before arrays and checked on reading; a short or odd input is a WireError.
#pragma once

#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "pollen/errors.h"
#include "pollen/types.h"

namespace pollen {

class Archive {
 public:
  Archive() = default;  // an archive that writes
  explicit Archive(ByteView input) : input_(input), reading_(true) {}
  // Makes an archive that writes in pieces: it passes on what has accumulated from time to time, and the rest in
  // finish().
  using HandOn = std::function<void(ByteView)>;
  explicit Archive(HandOn hand_on) : hand_on_(std::move(hand_on)) {}

  // Makes an archive that appends to the given bytes.
  static Archive behind(Bytes bytes) {
    Archive archive;
    archive.output_ = std::move(bytes);
    return archive;
  }

  bool reading() const { return reading_; }
  Bytes take() { return std::move(output_); }
  void finish();

  template <class T>
    requires std::is_arithmetic_v<T>
  void field(T& value) {
    raw(&value, sizeof(T));
  }
  // Archives an array of fixed size; reading checks the size and never changes it.
  template <class T>
    requires std::is_arithmetic_v<T>
  void array(std::span<T> values) {
    std::uint64_t n = values.size();
    field(n);
    if (n != values.size()) refuse(n, "numbers in an array", values.size());
    raw(values.data(), values.size_bytes());
  }
  // Archives a vector that is empty or has `size` entries; reading accepts both.
  template <class Vector>
  void array_or_none(Vector& values, std::uint64_t size) {
    std::uint64_t n = values.size();
    field(n);
    if (n != 0 && n != size) refuse(n, "entries in an array that may be empty", size);
    values.resize(n);
    array(std::span(values));
  }
  // Archive numbers or bytes whose count both sides know; the count itself is not written.
  void numbers(std::span<double> values) { raw(values.data(), values.size_bytes()); }
  void bytes(std::span<std::uint8_t> values) { raw(values.data(), values.size()); }
  std::size_t left() const { return input_.size(); }  // when reading: the number of bytes not read yet
  // Archives an array of any size. Reading checks that the data are there before it allocates memory.
  template <class T>
    requires std::is_arithmetic_v<T>
  void list(std::vector<T>& values) {
    std::uint64_t n = values.size();
    field(n);
    if (reading_) {
      expect(n, sizeof(T));
      values.resize(n);
    }
    raw(values.data(), values.size() * sizeof(T));
  }
  // A number in groups of seven bits, the lowest first; all bytes but the last have their top bit set. Reading refuses
  // a number that could have been written with fewer bytes.
  void short_number(std::uint64_t& value);
  void texts(std::vector<std::string>& values);
  // Archives several values one after another, each as its type asks for: numbers, yes or no, texts, lists and panels.
  template <class... T>
  void fields(T&... values) {
    (one(values), ...);
  }
  // A panel of any size: rows, columns, and its numbers without padding, in single precision if asked for.
  void panel(Panel& values, bool single = false);
  void flag(bool& value);
  void text(std::string& value);

 private:
  template <class T>
  void one(T& value) {
    if constexpr (std::is_same_v<T, bool>)
      flag(value);
    else if constexpr (std::is_arithmetic_v<T>)
      field(value);
    else if constexpr (std::is_same_v<T, std::string>)
      text(value);
    else if constexpr (std::is_same_v<T, std::vector<std::string>>)
      texts(value);
    else if constexpr (std::is_same_v<T, Panel>)
      panel(value);
    else
      list(value);
  }
  void raw(void* data, std::size_t bytes);
  // Throws WireError if fewer than n items of so many bytes are left.
  void expect(std::uint64_t n, std::size_t bytes) const;
  [[noreturn]] static void refuse(std::uint64_t found, const char* what, std::uint64_t accepted);
  void flush();

  static constexpr std::size_t kAtOnce = std::size_t{1} << 20;  // bytes that accumulate before they are passed on

  ByteView input_;
  Bytes output_;
  HandOn hand_on_;
  bool reading_ = false;
};

}  // namespace pollen
