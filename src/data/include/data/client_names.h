// Holds the names of a federation's clients. Clients that are called "1", "2", ... take no memory.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

namespace pollen {

class ClientNames {
 public:
  ClientNames() = default;
  explicit ClientNames(std::size_t count) : count_(count) {}
  ClientNames(std::vector<std::string> names) : count_(names.size()) {
    for (std::size_t i = 0; i < count_ && words_.empty(); ++i)
      if (names[i] != number(i)) words_.swap(names);
  }

  std::size_t size() const { return count_; }
  bool empty() const { return count_ == 0; }
  bool numbered() const { return words_.empty(); }
  std::string operator[](std::size_t i) const { return numbered() ? number(i) : words_[i]; }
  std::vector<std::string> list() const {
    std::vector<std::string> out = words_;
    for (std::size_t i = out.size(); i < count_; ++i) out.push_back(number(i));
    return out;
  }
  bool operator==(const ClientNames&) const = default;

 private:
  static std::string number(std::size_t i) { return fmt::format_int(i + 1).str(); }

  std::size_t count_ = 0;
  std::vector<std::string> words_;  // empty if the names are numbers
};

}  // namespace pollen
