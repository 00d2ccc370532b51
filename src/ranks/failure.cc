// Carries exceptions between ranks: one that is thrown at another rank is thrown again by rank 0.
#include <fmt/format.h>

#include <new>
#include <stdexcept>

#include "frames.h"
#include "pollen/errors.h"

namespace pollen::ranks {

namespace {

enum class Fault : std::uint8_t { config, numeric, wire, io, other };

struct Failure {
  Fault fault = Fault::other;
  std::string what;
  std::vector<std::string> problems;  // where and what of each problem, alternating

  void archive(Archive& a) {
    auto byte = static_cast<std::uint8_t>(fault);
    a.fields(byte, what, problems);
    fault = static_cast<Fault>(byte);
  }
};

// Describes the exception that is being handled. Numeric errors name their client, so the rank does not matter. Other
// errors name the rank, because they may concern one machine only.
Failure current(int rank) {
  const std::string at = fmt::format("rank {}: ", rank);
  try {
    throw;
  } catch (const ConfigError& error) {
    Failure failure{Fault::config, {}, {}};
    for (const Problem& problem : error.problems())
      failure.problems.insert(failure.problems.end(), {at + problem.where, problem.what});
    return failure;
  } catch (const NumericError& error) {
    return {Fault::numeric, error.what(), {}};
  } catch (const WireError& error) {
    return {Fault::wire, at + error.what(), {}};
  } catch (const IoError& error) {
    return {Fault::io, at + error.what(), {}};
  } catch (const std::bad_alloc&) {
    return {Fault::other, at + "out of memory", {}};
  } catch (const std::exception& error) {
    return {Fault::other, at + error.what(), {}};
  }
}

}  // namespace

Bytes failure_frame(int rank) try {
  Failure failure = current(rank);
  Archive archive = frame_of(Kind::failed);
  failure.archive(archive);
  return archive.take();
} catch (const Abandoned&) {
  return bare(Kind::abandoned);
}

void throw_failure(ByteView frame) {
  Archive archive(frame.subspan(1));
  Failure failure;
  failure.archive(archive);
  switch (failure.fault) {
    case Fault::config: {
      std::vector<Problem> problems;
      for (std::size_t i = 0; i + 1 < failure.problems.size(); i += 2)
        problems.push_back({failure.problems[i], failure.problems[i + 1]});
      throw ConfigError(std::move(problems));
    }
    case Fault::numeric:
      throw NumericError(failure.what);
    case Fault::wire:
      throw WireError(failure.what);
    case Fault::io:
      throw IoError(failure.what);
    case Fault::other:
      break;
  }
  throw std::runtime_error(failure.what);
}

}  // namespace pollen::ranks
