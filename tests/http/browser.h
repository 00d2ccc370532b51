// A client that talks to a server over a plain local socket. It can send anything and read as slowly as the test wants.
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
  bool say(const std::string& text) const;  // false if the other side has closed the connection
  void say_no_more() const;
  void get(const std::string& path, const std::string& host = "127.0.0.1", const std::string& more = "") const;
  // Reads until these words have come or the other side closes the connection. Returns everything received so far.
  const std::string& read_until(const std::string& words);
  const std::string& read_all() { return read_until(""); }  // reads until the other side closes the connection
  bool hung_up() const { return hung_up_; }

 private:
  int socket_;
  bool connected_ = false, hung_up_ = false;
  std::string came_;
};

// Sends a whole request and returns the answer, head and body.
std::string answer(int port, const std::string& path, const std::string& host = "127.0.0.1",
                   const std::string& more = "");
int status(const std::string& answer);  // 0 if there is none

}  // namespace pollen::http
