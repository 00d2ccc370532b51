#include <fmt/chrono.h>

#include <mutex>
#include <nlohmann/json.hpp>

#include "terminal.h"
#include "wire_files.h"

namespace pollen::app {

namespace {

const char* level_of(const Notice& notice) { return notice.level == Notice::Level::warning ? "warning" : "info"; }

std::string time_now() {
  const auto now = std::chrono::system_clock::now();
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch()).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(now), since % 1000);
}

// Names and reasons come from other parties and may contain any bytes.
std::string json_line(const Notice& notice) {
  nlohmann::ordered_json json{
      {"time", time_now()}, {"level", level_of(notice)}, {"event", notice.event}, {"message", notice.text}};
  if (!notice.client.empty()) json["client"] = notice.client;
  if (notice.round) json["round"] = *notice.round;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

// On a terminal, a message overwrites the progress bar, which is then drawn again.
std::string plain_line(const Notice& notice) {
  return fmt::format("{}pollen: {}{}\n", stderr_is_terminal() ? "\r\x1b[K" : "",
                     notice.level == Notice::Level::warning ? "warning: " : "", plain(notice.text));
}

}  // namespace

Tell make_log(const std::string& format, bool quiet) {
  if (quiet) return [](const Notice&) {};
  return [line = format == "json" ? json_line : plain_line](const Notice& notice) {
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    to_stderr(line(notice));
  };
}

}  // namespace pollen::app
