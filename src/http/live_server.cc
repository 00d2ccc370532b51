#include "http/live_server.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <condition_variable>
#include <mutex>

#include "base/secret.h"
#include "http/guard.h"
#include "http/listener.h"

namespace pollen::http {

namespace {

using httplib::Request;
using httplib::Response;

constexpr auto kSignOfLife = std::chrono::seconds(2);  // between keep-alive events, which reveal a dead connection
constexpr std::size_t kSpare = 4;                      // connections for the page itself, beside those of the readers

// Holds the latest event, as text of the stream, and wakes the readers that wait for it.
class Board {
 public:
  struct Event {
    std::uint64_t number = 0;  // 0 if there is none yet
    bool last = false;
    std::shared_ptr<const std::string> text;
  };

  void post(const char* name, const std::string& json, bool last) {
    const std::lock_guard lock(mutex_);
    if (event_.last) return;
    const std::uint64_t number = event_.number + 1;
    event_ = {number, last,
              std::make_shared<const std::string>(fmt::format("event: {}\nid: {}\ndata: {}\n\n", name, number, json))};
    changed_.notify_all();
  }
  // Waits for an event newer than `seen`. Returns an event without text if none comes within `patience`.
  Event after(std::uint64_t seen, std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return event_.number > seen || closed_; });
    return event_.number > seen ? event_ : Event{seen, closed_, nullptr};
  }
  bool enter(std::size_t most) {
    const std::lock_guard lock(mutex_);
    if (readers_ >= most) return false;
    ++readers_;
    return true;
  }
  void leave() {
    const std::lock_guard lock(mutex_);
    --readers_;
    changed_.notify_all();
  }
  std::size_t readers() {
    const std::lock_guard lock(mutex_);
    return readers_;
  }
  void await_nobody(std::chrono::milliseconds patience) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, patience, [&] { return readers_ == 0; });
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  Event event_;
  std::size_t readers_ = 0;
  bool closed_ = false;
};

// Returns the Content-Security-Policy for the HTTP header: the one in the page's own meta tag, plus a ban on frames,
// which only the header can express.
std::string policy_of(std::string_view page) {
  constexpr std::string_view kBefore = "http-equiv=\"Content-Security-Policy\" content=\"";
  const std::size_t at = page.find(kBefore);
  const std::string_view rest = at == std::string_view::npos ? "" : page.substr(at + kBefore.size());
  const std::string_view own = rest.substr(0, rest.find('"'));
  return fmt::format("{}; frame-ancestors 'none'", own.empty() ? "default-src 'none'" : own);
}

std::string this_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != 0 ? name.data() : "localhost";
}

std::string shown_host(const std::string& address) {
  if (address == "0.0.0.0" || address == "::") return this_machine();
  return address.find(':') == std::string::npos ? address : fmt::format("[{}]", address);
}

void refuse(Response& response, int status, const std::string& why) {
  response.status = status;
  response.set_content(why, "text/plain; charset=utf-8");
}

}  // namespace

struct LiveServer::Parts {
  explicit Parts(const LiveOptions& o)
      : options(o),
        token(is_loopback(o.address) ? "" : secret_name()),
        listener({.connections = o.most_readers + kSpare, .write_time = o.patience}) {
    listener.set_default_headers({{"Content-Security-Policy", policy_of(o.page)},
                                  {"X-Content-Type-Options", "nosniff"},
                                  {"X-Frame-Options", "DENY"},
                                  {"Referrer-Policy", "no-referrer"},
                                  {"Cross-Origin-Resource-Policy", "same-origin"},
                                  {"Cache-Control", "no-store"}});
    listener.set_pre_routing_handler([this](const Request& request, Response& response) {
      return admits(request, response) ? httplib::Server::HandlerResponse::Unhandled
                                       : httplib::Server::HandlerResponse::Handled;
    });
    listener.Get("/", [this](const Request&, Response& response) {
      response.set_content(options.page.data(), options.page.size(), "text/html; charset=utf-8");
    });
    listener.Get("/events", [this](const Request& request, Response& response) { stream(request, response); });
    listener.Get("/favicon.ico", [](const Request&, Response& response) { response.status = 204; });
    listener.start(o.option, o.address, o.port);
  }

  bool admits(const Request& request, Response& response) const {
    if (token.empty() && !names_loopback(request.get_header_value("Host"))) {
      refuse(response, 403, "This page is reached by the name of this machine only: 127.0.0.1 or localhost.\n");
      return false;
    }
    if (token.empty() || request.path == "/favicon.ico" || same_secret(request.get_param_value("token"), token))
      return true;
    refuse(response, 403, "The address of this page has a token in it (?token=...), as pollen printed it.\n");
    return false;
  }

  void stream(const Request& request, Response& response) {
    // The page of another site could not read the stream, but it could use up the places of readers.
    const std::string from = request.get_header_value("Sec-Fetch-Site");
    if (!from.empty() && from != "same-origin" && from != "none")
      return refuse(response, 403, "Not for other sites.\n");
    if (!board.enter(options.most_readers)) {
      response.set_header("Retry-After", "5");
      return refuse(response, 503,
                    fmt::format("{} pages are open, which is the limit; close one.\n", options.most_readers));
    }
    response.set_header("X-Accel-Buffering", "no");
    response.set_chunked_content_provider(
        "text/event-stream",
        [this, seen = std::uint64_t{0}](std::size_t, httplib::DataSink& sink) mutable { return feed(seen, sink); },
        [this](bool) { board.leave(); });
  }

  // Sends one event, or a sign of life, to a reader. Returning false drops the reader.
  bool feed(std::uint64_t& seen, httplib::DataSink& sink) {
    const Board::Event event = board.after(seen, kSignOfLife);
    seen = event.number;
    static const std::string kNothingNew = "event: alive\ndata: 1\n\n";
    const std::string& text = event.text ? *event.text : kNothingNew;
    if (!sink.write(text.data(), text.size())) return false;
    if (event.last) sink.done();
    return true;
  }

  LiveOptions options;
  std::string token;
  Board board;
  Listener listener;  // declared last, because its threads use the other members
};

LiveServer::LiveServer(const LiveOptions& options) : parts_(std::make_unique<Parts>(options)) {}

LiveServer::~LiveServer() { parts_->board.close(); }

int LiveServer::port() const { return parts_->listener.port(); }
std::size_t LiveServer::readers() const { return parts_->board.readers(); }

std::string LiveServer::url() const {
  const std::string at = fmt::format("http://{}:{}/", shown_host(parts_->options.address), port());
  return parts_->token.empty() ? at : fmt::format("{}?token={}", at, parts_->token);
}

void LiveServer::publish(std::string json) { parts_->board.post("state", json, false); }

void LiveServer::finish(std::string json, std::chrono::milliseconds patience) {
  parts_->board.post("end", json, true);
  parts_->board.await_nobody(patience);
}

}  // namespace pollen::http
