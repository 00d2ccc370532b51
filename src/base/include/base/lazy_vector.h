// A list of things that are made when they are first asked for: before that one costs a pointer. Different ones may be
// asked for by different threads at once.
#pragma once

#include <functional>
#include <memory>
#include <vector>

namespace pollen {

template <class T>
class LazyVector {
 public:
  using Make = std::function<std::unique_ptr<T>(std::size_t place)>;
  LazyVector() = default;
  LazyVector(std::size_t count, Make make) : made_(count), make_(std::move(make)) {}

  std::size_t size() const { return made_.size(); }
  bool empty() const { return made_.empty(); }
  bool has(std::size_t place) const { return made_[place] != nullptr; }
  T& operator[](std::size_t place) const {
    if (!made_[place]) made_[place] = make_(place);
    return *made_[place];
  }
  T& front() const { return (*this)[0]; }
  std::unique_ptr<T> make(std::size_t place) const { return make_(place); }  // another one, not kept
  // One that is not there yet is let go after the look.
  template <class Look>
  void look(std::size_t place, const Look& look) const {
    if (made_[place]) return look(*made_[place]);
    const std::unique_ptr<T> once = make_(place);
    look(*once);
  }

 private:
  mutable std::vector<std::unique_ptr<T>> made_;
  Make make_;
};

}  // namespace pollen
