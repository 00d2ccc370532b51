// Rank 0 hears the others.
#pragma once

#include "frames.h"
#include "pollen/archive.h"
#include "ranks/ranks.h"

namespace pollen::ranks {

// One frame of every other rank, in order. Where one has failed all are heard before it is thrown.
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
  if (abandoned) throw Abandoned();  // by this rank, whose own error is under way
}

}  // namespace pollen::ranks
