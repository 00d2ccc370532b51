// What ranks say to each other. A round is a frame of pollen/wire.h, whose first byte is its magic number's; everything
// else begins with one of these. Ranks are processes of one build: their frames are no contract.
#pragma once

#include <cstdint>

#include "pollen/archive.h"
#include "pollen/transport.h"

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

// A query and the size of its answer.
struct Question {
  Query::What what = Query::What::gradient;
  Panel at, direction;
  std::uint64_t step = 0;
  std::int64_t batch = 1, rows = 0, columns = 0;

  Query query() const { return {what, at, direction, step, static_cast<Index>(batch)}; }
  void archive(Archive& a);
};

// Thrown where the rank before could not do its part: it has told rank 0 why.
struct Abandoned {};

// The exception being handled, for rank 0; and there, as it was.
Bytes failure_frame(int rank);
[[noreturn]] void throw_failure(ByteView frame);

}  // namespace pollen::ranks
