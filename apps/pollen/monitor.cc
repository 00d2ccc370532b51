#include "monitor.h"

#include <nlohmann/json.hpp>

namespace pollen::app {

bool is_healthy(const View& view, View::Clock::time_point now) {
  return !view.gone_since || now - *view.gone_since <= std::chrono::minutes(1);
}

std::string health_text(const View& view, bool healthy) {
  nlohmann::ordered_json json{
      {"status", view.status},         {"healthy", healthy}, {"round", view.round},       {"iteration", view.iteration},
      {"iterations", view.iterations}, {"here", view.here},  {"expected", view.expected}, {"missing", view.missing}};
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace pollen::app
