// Receives the answers of all other ranks at rank 0.
#pragma once

#include "frames.h"
#include "pollen/archive.h"
#include "ranks/ranks.h"

namespace pollen::ranks {

// Receives one frame from every other rank, in order, and calls take(rank, archive) for it. If a rank has failed, its
// error is thrown after all ranks have been heard.
template <class Take>
void collect(Ranks& ranks, Bytes& frame, const Take& take) {
  Bytes failure;
  bool abandoned = false;
  for (int r = 1; r < ranks.size(); ++r) {
    ranks.receive(r, frame);
    if (kind_of(frame) == Kind::failed && failure.empty()) failure = frame;
    if (kind_of(frame) == Kind::abandoned) abandoned = true;
    if (kind_of(frame) != Kind::done || abandoned || !failure.empty()) continue;
    Archive archive(ByteView(frame).subspan(1));
    take(r, archive);
    archive.finish();
  }
  if (!failure.empty()) throw_failure(failure);
  if (abandoned) throw Abandoned();  // this rank has failed, and its own error is being thrown
}

}  // namespace pollen::ranks
