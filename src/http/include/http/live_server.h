// Serves a page and the stream of server-sent events that updates it. Readers get only the latest state: a slow reader
// skips the states published meanwhile, and a reader that takes nothing for a while is dropped. A reader costs no
// memory beyond its connection. publish() may be called from any thread and never waits for a reader.
//
//   LiveServer live({.page = html, .port = 0});  // throws IoError if it cannot listen
//   print(live.url());
//   live.publish(json);                          // whenever there is news
//   live.finish(json, std::chrono::seconds(1));  // sends the last event, which tells readers that the run is over
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace pollen::http {

struct LiveOptions {
  std::string option = "--dashboard";  // the option that error messages name
  std::string_view page;               // HTML; must outlive the server
  std::string address = "127.0.0.1";   // a non-loopback address needs a token, which is made up and part of url()
  int port = 0;                        // 0 means any free port
  std::size_t most_readers = 32;       // of the stream at a time; further ones are told to retry
  std::chrono::milliseconds patience{10000};  // how long a reader may take nothing before it is dropped
};

class LiveServer {
 public:
  explicit LiveServer(const LiveOptions& options);
  ~LiveServer();  // cuts every connection
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  int port() const;
  std::string url() const;  // the full URL, with the token if there is one
  std::size_t readers() const;
  void publish(std::string json);  // JSON on one line; replaces what was published before
  // Publishes the last event and waits until all readers have it, but no longer than `patience`.
  void finish(std::string json, std::chrono::milliseconds patience);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen::http
