// The frames that ranks send each other. A round is a frame of wire/wire.h, which begins with the letters of that
// format; every other frame begins with one of the kinds below. All ranks run the same build, so these frames may
// change freely.
#pragma once

#include <cstdint>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::ranks {

enum class Kind : std::uint8_t {
  // Sent by rank 0.
  query = 1,
  save,
  load,
  end,
  // Sent to rank 0 or to the next rank.
  done,
  failed,
  abandoned,  // an earlier rank has failed
  bye,
};

inline Kind kind_of(ByteView frame) { return frame.empty() ? Kind::failed : static_cast<Kind>(frame[0]); }
inline bool is_round(ByteView frame) { return !frame.empty() && frame[0] == 'P'; }

Archive frame_of(Kind kind, Bytes memory = {});  // begins a frame for writing, in memory that is reused
inline Bytes bare(Kind kind) { return {static_cast<std::uint8_t>(kind)}; }

// Is thrown if the previous rank could not do its part. That rank has told rank 0 why.
struct Abandoned {};

// Makes a frame from the exception that is being handled. Rank 0 throws it again with throw_failure().
Bytes failure_frame(int rank);
[[noreturn]] void throw_failure(ByteView frame);

}  // namespace pollen::ranks
