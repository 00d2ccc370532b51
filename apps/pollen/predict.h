// The two ways of `pollen predict`.
#pragma once

#include "commands.h"
#include "data/row_layout.h"
#include "pollen/config.h"
#include "sink/predictive.h"

namespace pollen::app {

int predict_rows(const PredictOptions& options, const Config& config);    // every model without latents
int predict_client(const PredictOptions& options, const Config& config);  // models with latents

// How the run encoded its rows: as it wrote down, or, in a folder of an older version, as its data say again.
RowLayout layout_for(const PredictOptions& options, const Config& config);
SiteFacts facts_of(const RowLayout& layout);

// To people, on stderr.
void tell_scores(const sink::Scores& scores, Index rows, Index draws);

}  // namespace pollen::app
