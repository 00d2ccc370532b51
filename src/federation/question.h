// Checks what a server asks a client before anything is computed or memory is taken. Thread-safe.
#pragma once

#include "pollen/recipe.h"
#include "pollen/transport.h"
#include "wire/messages.h"

namespace pollen {

struct QuestionLimits {
  const Recipe* recipe = nullptr;
  Index dimension = 1, chains = 1, clients = 1;
  bool warm_up = false;  // true if the configuration has a warm-up
};

Query::What check_question(const wire::Ask& ask, const QuestionLimits& limits);  // throws WireError
void check_numbers(ConstPanelView values, const char* where);  // throws WireError if a number is not finite

// Throws WireError if a segment has more steps than longest_segment() allows, which is the limit that servers keep to.
void check_segment(const Broadcast& heard, Index dimension, Index chains);

}  // namespace pollen
