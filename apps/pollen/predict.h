// The two variants of `pollen predict`: for models without latents and for models with latents (docs/predict.md). Both
// print to stdout and return the exit code.
#pragma once

#include "commands.h"
#include "data/row_layout.h"
#include "pollen/config.h"
#include "sink/predictive.h"

namespace pollen::app {

int predict_rows(const PredictOptions& options, const Config& config);    // for models without latents
int predict_client(const PredictOptions& options, const Config& config);  // for models with latents

// Returns how the run encoded its rows: as its folder records or, for a folder of an older version, as derived again
// from its data.
RowLayout layout_for(const PredictOptions& options, const Config& config);
SiteFacts facts_of(const RowLayout& layout);

// Prints the scores for people, on stderr.
void tell_scores(const sink::Scores& scores, Index rows, Index draws);

}  // namespace pollen::app
