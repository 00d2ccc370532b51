// A page and the stream of events it lives on (server-sent events). Readers get the latest state and no other: one that
// is slow skips what came meanwhile, one that takes nothing for a while is dropped, and none of them keeps anything
// in memory but its connection. publish() may be called from any thread and never waits for a reader.
//
//   LiveServer live({.page = html, .port = 0});   // IoError where it cannot listen
//   print(live.url());
//   live.publish(json);                           // as often as there is news
//   live.finish(json);                            // the last event: readers know that it is over
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>

namespace pollen::http {

struct LiveOptions {
  std::string option = "--dashboard";         // for what goes wrong
  std::string_view page;                      // HTML; outlives the server
  std::string address = "127.0.0.1";          // any but the machine's own needs a token, which is made up and in url()
  int port = 0;                               // 0: any free one
  std::size_t most_readers = 32;              // of the stream, at a time; more are told to come back
  std::chrono::milliseconds patience{10000};  // with a reader that takes nothing
};

class LiveServer {
 public:
  explicit LiveServer(const LiveOptions& options);
  ~LiveServer();  // cuts every connection
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  int port() const;
  std::string url() const;  // whole, with the token where there is one
  std::size_t readers() const;
  void publish(std::string json);  // JSON on one line; replaces what was published before
  // As publish(), as the last event; waits until all readers have it, but no longer than `patience`.
  void finish(std::string json, std::chrono::milliseconds patience);

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pollen::http
