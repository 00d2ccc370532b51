// Stores the draws of a run as they are made, in one binary file, so that memory stays constant however long the run
// is.
//
// Layout (little-endian): letters and version (Seal, base/sealed_file.h), uint32 extras, uint64 d, uint64 R, then one
// record per kept draw. A record has for every chain U(θ) (NaN if it is not computed), θ_1..θ_d and the extras (a
// Transition's six numbers, or none) as float64, and a checksum (uint64) of the draw's number, the chain's number and
// these values. Every value that is read is checked. Not thread-safe.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/file.h"
#include "pollen/types.h"
#include "round/engine.h"

namespace pollen::sink {

// Is told of work on the draws as it goes on: how many more numbers were written or summarised.
using NumbersDone = std::function<void(std::int64_t more)>;

struct SpoolShape {
  Index dimension = 0;
  Index chains = 1;
  Index extras = 0;  // kTransition if transitions are kept, otherwise 0
  static constexpr Index kTransition = 6;
  std::size_t values() const { return static_cast<std::size_t>(1 + dimension + extras); }  // doubles per chain
  std::size_t width() const { return values() + 1; }                                       // with the checksum
  std::size_t record() const { return static_cast<std::size_t>(chains) * width(); }
  bool operator==(const SpoolShape&) const = default;
};

class SpoolWriter {
 public:
  SpoolWriter(const std::string& path, SpoolShape shape);
  // Continues an existing file after its first `draws` records, which it checks, and cuts off what follows them.
  SpoolWriter(const std::string& path, SpoolShape shape, std::int64_t draws);

  // Appends a record. `potential` has one number per chain or is empty; `transitions` has one per chain if the shape
  // has extras.
  void append(ConstPanelView position, std::span<const double> potential, std::span<const Transition> transitions = {});
  void sync() { file_.sync(); }
  std::int64_t draws() const { return draws_; }

 private:
  OutputFile file_;
  SpoolShape shape_;
  std::int64_t draws_ = 0;
};

class SpoolReader {
 public:
  // Throws ConfigError if the file is not a spool. An incomplete last record is ignored. The other functions throw
  // IoError where a checksum differs.
  explicit SpoolReader(const std::string& path);
  ~SpoolReader();
  SpoolReader(const SpoolReader&) = delete;
  SpoolReader& operator=(const SpoolReader&) = delete;

  const SpoolShape& shape() const { return shape_; }
  std::int64_t draws() const { return draws_; }

  // Reads the file in one pass. record[c * width] is U of chain c, followed by its θ.
  void each(const std::function<void(std::int64_t draw, std::span<const double> record)>& visit) const;
  void check(std::int64_t draws) const;  // reads the first `draws` records and checks them
  // Reads parameters first .. first+count-1 in one pass into out[(p * R + c) * draws + i], each chain-major. The number
  // -1 stands for U.
  void parameters(Index first, Index count, std::vector<double>& out) const;
  void draw(std::int64_t draw, Index chain, std::span<double> theta) const;

 private:
  void read_at(std::int64_t offset, void* data, std::size_t bytes) const;
  void read_records(std::int64_t draws, const std::function<void(std::int64_t, std::span<const double>)>& visit) const;
  void check_chain(std::int64_t draw, Index chain, std::span<const double> values_and_sum) const;

  std::string path_;
  int descriptor_ = -1;
  SpoolShape shape_;
  std::int64_t draws_ = 0;
};

}  // namespace pollen::sink
