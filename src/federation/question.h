// What a server may ask a client, checked before anything is computed or memory is taken.
#pragma once

#include "pollen/recipe.h"
#include "pollen/transport.h"
#include "wire/messages.h"

namespace pollen {

struct QuestionLimits {
  const Recipe* recipe = nullptr;
  Index dimension = 1, chains = 1, clients = 1;
  bool warm_up = false;  // the configuration has one
};

Query::What check_question(const wire::Ask& ask, const QuestionLimits& limits);  // WireError
void check_numbers(ConstPanelView values, const char* where);                    // WireError where one is not finite

// WireError where a segment has more steps than longest_segment() allows, which is the limit that servers keep to.
void check_segment(const Broadcast& heard, Index dimension, Index chains);

}  // namespace pollen
