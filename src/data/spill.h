// Arrays that need not fit into memory, used while tables are built. While a SpillFolder lives, arrays of at least 4
// MiB are mapped from unnamed files in its folder, so only the disk limits them. Otherwise they are ordinary memory.
#pragma once

#include <cstddef>
#include <new>
#include <string>
#include <vector>

namespace pollen::data {

// Applies to arrays that the current thread makes. It must not be nested.
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
void* take_long(std::size_t bytes);  // throws IoError if the disk is full
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
