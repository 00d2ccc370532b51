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

// A segment whose common noise would not be more than a server of pollen has made: its own limit.
void check_leg(const Broadcast& heard, Index dimension, Index chains);

}  // namespace pollen
