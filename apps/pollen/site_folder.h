// What a client keeps of a run for itself (join --out DIR), as a run folder of its own: the scores of its own test rows
// and, with serve --share-draws, the draws. Not thread-safe.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "federation/federation.h"
#include "sink/folder.h"
#include "sink/spool.h"

namespace pollen::app {

class SiteFolder {
 public:
  explicit SiteFolder(const std::string& folder);  // throws ConfigError if the folder holds other files
  void keep(const wire::Draws& message, const Participant& from);
  void keep(const SiteScores& scores, const Participant& from);
  // Makes draws-*.csv and summary.json of the draws that came. Returns their number per chain.
  std::int64_t finish(const Participant& from);
  bool scored() const { return scores_.has_value(); }

 private:
  void begin(const Participant& from);
  void write_summary(const Participant& from, const sink::SpoolReader* spool) const;

  sink::RunFolder folder_;
  bool begun_ = false;
  std::unique_ptr<sink::SpoolWriter> spool_;
  std::vector<Panel> block_;  // one panel per chain
  std::optional<SiteScores> scores_;
};

}  // namespace pollen::app
