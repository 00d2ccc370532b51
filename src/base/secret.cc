#include "base/secret.h"

#include <fmt/format.h>
#include <sys/random.h>

#include <cerrno>

#include "pollen/errors.h"

namespace pollen {

std::uint64_t secret_number() {
  std::uint64_t number = 0;
  while (::getrandom(&number, sizeof(number), 0) != static_cast<ssize_t>(sizeof(number)))
    if (errno != EINTR) throw IoError("the system has no random numbers to give (getrandom)");
  return number;
}

std::string secret_name() { return fmt::format("{:016x}{:016x}", secret_number(), secret_number()); }

}  // namespace pollen
