// What ranks say to each other. A round travels as a frame of wire/wire.h, which begins with that format's letters;
// every other frame begins with one of the kinds below. All ranks run the same build, so that these frames may change
// freely.
#pragma once

#include <cstdint>

#include "pollen/archive.h"
#include "pollen/types.h"

namespace pollen::ranks {

enum class Kind : std::uint8_t {
  // from rank 0
  query = 1,
  settings,
  save,
  load,
  end,
  // to rank 0, or to the next rank
  done,
  failed,
  abandoned,  // the rank before has failed
  bye,
};

inline Kind kind_of(ByteView frame) { return frame.empty() ? Kind::failed : static_cast<Kind>(frame[0]); }
inline bool is_round(ByteView frame) { return !frame.empty() && frame[0] == 'P'; }

Archive frame_of(Kind kind, Bytes memory = {});  // to be written, in memory that has served before
inline Bytes bare(Kind kind) { return {static_cast<std::uint8_t>(kind)}; }

// Thrown where the rank before could not do its part: it has told rank 0 why.
struct Abandoned {};

// The exception that is being handled, as a frame for rank 0, which throws it again.
Bytes failure_frame(int rank);
[[noreturn]] void throw_failure(ByteView frame);

}  // namespace pollen::ranks
