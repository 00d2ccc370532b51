// What clients have answered in the rounds of exact kernels, for saying whose numbers cannot be. A point where a client
// has no finite density, or a small one, is an ordinary proposal that is rejected; so a single answer says little.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen {

class PotentialWatch {
 public:
  explicit PotentialWatch(std::vector<Index> rows) : rows_(std::move(rows)), clients_(rows_.size()) {}

  void open() { ++exchange_; }  // begins an exchange
  // Takes note of a client's answer, whose last row are its potentials. Returns how many answers in a row have had
  // nothing but numbers that cannot be.
  int take(std::uint32_t client, ConstPanelView answer);

  struct Suspect {
    std::uint32_t client = 0;
    double number = 0;   // the potential that cannot be
    double against = 0;  // what it is compared with
  };
  Suspect last(std::uint32_t client) const;
  // Returns whose answers an error comes from, or nothing if no client stands out: the one whose potential fell most
  // lately, if the error is such a fall; else one that alone was not finite in the last exchange, or whose potentials
  // are, or fell, a million times more per row than all others'.
  std::optional<Suspect> suspect(bool fell) const;

  void archive(Archive& archive);

 private:
  struct Client {
    double low = std::numeric_limits<double>::infinity();  // the lowest potential so far
    double latest = 0;             // the largest potential of the last answer; NaN if a number was not finite
    double before = 0, after = 0;  // the largest fall of `low` lately
    std::int64_t fell = 0;         // its exchange
    int absurd = 0;                // answers in a row
  };
  double fall(const Client& client) const;
  std::optional<Suspect> most_fallen() const;
  template <class Number>
  std::optional<std::uint32_t> outlier(const Number& number) const;

  std::vector<Index> rows_;
  std::vector<Client> clients_;
  std::int64_t exchange_ = 0;
};

}  // namespace pollen
