#include "log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <mutex>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace pollen::app {

namespace {

// Writes log lines to stderr without the C stream, in the same way as the progress bar.
class Stderr final : public spdlog::sinks::base_sink<std::mutex> {
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    to_stderr({line.data(), line.size()});
  }
  void flush_() override {}
};

std::shared_ptr<spdlog::logger> logger(const std::string& pattern) {
  auto out = std::make_shared<spdlog::logger>("pollen", std::make_shared<Stderr>());
  out->set_formatter(std::make_unique<spdlog::pattern_formatter>(pattern, spdlog::pattern_time_type::utc));
  return out;
}

spdlog::level::level_enum level_of(const Notice& notice) {
  return notice.level == Notice::Level::warning ? spdlog::level::warn : spdlog::level::info;
}

// Returns the JSON fields after time and level. Names and reasons come from other parties and may contain any bytes.
std::string fields(const Notice& notice) {
  nlohmann::ordered_json json{{"event", notice.event}, {"message", notice.text}};
  if (!notice.client.empty()) json["client"] = notice.client;
  if (notice.round) json["round"] = *notice.round;
  const std::string text = json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  return text.substr(1, text.size() - 2);
}

// Replaces control characters, so that a message stays on one line and cannot move the cursor or change colours.
std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }, ' ');
  return text;
}

}  // namespace

Tell make_log(const std::string& format, bool quiet) {
  if (quiet) return [](const Notice&) {};
  if (format == "json")
    return [log = logger(R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})")](const Notice& notice) {
      log->log(level_of(notice), spdlog::string_view_t(fields(notice)));
    };
  // On a terminal, a message overwrites the progress bar, which is then drawn again.
  return [log = logger(stderr_is_terminal() ? "\r\x1b[Kpollen: %v" : "pollen: %v")](const Notice& notice) {
    const char* level = notice.level == Notice::Level::warning ? "warning: " : "";
    log->log(level_of(notice), spdlog::string_view_t(level + harmless(notice.text)));
  };
}

}  // namespace pollen::app
