// Long arrays on the way to a table. While a SpillFolder lives, those of 4 MiB and more lie in unnamed files of its
// folder, mapped: they need not fit into memory, only onto the disk. Without one they are memory like any other.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace pollen::data {

// For arrays that this thread makes. Not nested.
class SpillFolder {
 public:
  explicit SpillFolder(std::string folder);
  ~SpillFolder();
  SpillFolder(const SpillFolder&) = delete;
  SpillFolder& operator=(const SpillFolder&) = delete;

 private:
  std::string folder_;
};

constexpr std::size_t kLongBytes = std::size_t{1} << 22;
void* take_long(std::size_t bytes);  // IoError where the disk is full
void give_long(void* data, std::size_t bytes);

template <class T>
struct SpillAllocator {
  using value_type = T;
  SpillAllocator() = default;
  template <class U>
  SpillAllocator(const SpillAllocator<U>&) {}
  T* allocate(std::size_t n) {
    const std::size_t bytes = n * sizeof(T);
    return static_cast<T*>(bytes < kLongBytes ? ::operator new(bytes) : take_long(bytes));
  }
  void deallocate(T* p, std::size_t n) {
    n * sizeof(T) < kLongBytes ? ::operator delete(p) : give_long(p, n * sizeof(T));
  }
  template <class U>
  bool operator==(const SpillAllocator<U>&) const {
    return true;
  }
};

template <class T>
using Long = std::vector<T, SpillAllocator<T>>;

}  // namespace pollen::data
