// Who talks to a server over a plain socket of this machine: says what it likes and reads as slowly as it likes.
#pragma once

#include <string>

namespace pollen::http {

class Browser {
 public:
  explicit Browser(int port);
  ~Browser();
  Browser(const Browser&) = delete;
  Browser& operator=(const Browser&) = delete;

  bool connected() const { return connected_; }
  bool say(const std::string& text) const;  // false where the other side has hung up
  void say_no_more() const;
  void get(const std::string& path, const std::string& host = "127.0.0.1", const std::string& more = "") const;
  // Until the words have come, or the other side hangs up; all that has come so far.
  const std::string& read_until(const std::string& words);
  const std::string& read_all() { return read_until(""); }  // until it hangs up
  bool hung_up() const { return hung_up_; }

 private:
  int socket_;
  bool connected_ = false, hung_up_ = false;
  std::string came_;
};

// A whole request and its answer, head and body.
std::string answer(int port, const std::string& path, const std::string& host = "127.0.0.1",
                   const std::string& more = "");
int status(const std::string& answer);  // 0 where there is none

}  // namespace pollen::http
