#include "child.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <sstream>
#include <thread>
#include <utility>

namespace pollen {

namespace {

void redirect(const std::string& path, int to) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  if (file < 0 || ::dup2(file, to) < 0) _exit(122);
}

}  // namespace

bool await(double seconds, const std::function<bool()>& so) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (!so()) {
    if (std::chrono::steady_clock::now() >= until) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  return true;
}

Child::Child(const std::string& program, const Words& arguments, const std::string& folder, const std::string& log)
    : log_(log) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  const std::string out = log + ".out", err = log + ".err";
  const pid_t parent = ::getpid();
  pid_ = ::fork();
  if (pid_ != 0) return;
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);  // the child dies with a test that is killed
  if (::getppid() != parent) _exit(123);
  redirect(out, STDOUT_FILENO);
  redirect(err, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) _exit(120);
  ::execvp(program.c_str(), argv.data());
  _exit(121);
}

Child& Child::operator=(Child&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(code_, other.code_);
  std::swap(log_, other.log_);
  return *this;
}

Child::~Child() { kill(); }

bool Child::running() {
  if (pid_ < 0 || code_) return false;
  int status = 0;
  if (::waitpid(pid_, &status, WNOHANG) != pid_) return true;
  code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return false;
}

std::optional<int> Child::wait(double seconds) {
  await(seconds, [&] { return !running(); });
  return code_;
}

void Child::send(int signal) const {
  if (pid_ > 0 && !code_) ::kill(pid_, signal);
}

int Child::kill() {
  if (pid_ < 0) return -1;
  if (running()) {
    ::kill(pid_, SIGKILL);
    int status = 0;
    ::waitpid(pid_, &status, 0);
    code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return *code_;
}

std::string Child::text_of(const char* stream) const {
  std::ifstream in(log_ + stream, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace pollen
