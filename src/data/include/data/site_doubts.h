// Mistakes that show only when clients' files are held against each other: a level that others write in another way, a
// column in another unit, a file with one label. A client compares its own file with what all have agreed on; who has
// all clients' facts compares each with the others. Nothing more is sent for it. All functions are pure and return
// sentences, none if there is nothing to say.
#pragma once

#include <string>
#include <vector>

#include "pollen/data.h"

namespace pollen {

// A client's view: levels of its own beside levels that only others have, such as Male beside M; only one label;
// columns whose mean differs from the others' by a factor near 10, 100, 1,000 or 1,000,000. `names` are the encoded
// columns of `own`, and `other_rows` the training rows of all other clients: `exactly` or only about so many.
std::vector<std::string> level_doubts(const ColumnFacts& own, const ColumnFacts& agreed);
std::vector<std::string> label_doubts(const Federation& own);
std::vector<std::string> unit_doubts(const ColumnMoments& own, const std::vector<std::string>& names,
                                     const ColumnScaling& agreed, double other_rows, bool exactly);

// The view of who knows all clients, called by `clients`.
std::vector<std::string> level_doubts(const std::vector<ColumnFacts>& all, const std::vector<std::string>& clients);
std::vector<std::string> label_doubts(const std::vector<ColumnFacts>& all, const DataSpec& spec,
                                      const std::vector<std::string>& clients);
std::vector<std::string> unit_doubts(const std::vector<ColumnMoments>& all, const std::vector<std::string>& names,
                                     const std::vector<std::string>& clients);

}  // namespace pollen
