// The two ways of `pollen predict`.
#pragma once

#include "commands.h"
#include "pollen/config.h"
#include "sink/predictive.h"

namespace pollen::app {

int predict_rows(const PredictOptions& options, const Config& config);    // every model without latents
int predict_client(const PredictOptions& options, const Config& config);  // models with latents

// To people, on stderr.
void tell_scores(const sink::Scores& scores, Index rows, Index draws);

}  // namespace pollen::app
