// A library that is loaded into a program before the C library and shifts its wall clock. The clock runs ahead of the
// machine's by the number of seconds in the file that POLLEN_CLOCK names, which may change at any moment. Monotonic
// clocks are left alone. Waits until a time of the wall clock, which the kernel would end by its own clock, are shifted
// by as much.
#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>

namespace {

const volatile std::int64_t* open_offset() {
  const char* path = std::getenv("POLLEN_CLOCK");
  const int file = path == nullptr ? -1 : ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return nullptr;
  void* at = ::mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  ::close(file);
  return at == MAP_FAILED ? nullptr : static_cast<const volatile std::int64_t*>(at);
}

std::int64_t offset() {
  static const volatile std::int64_t* const seconds = open_offset();
  return seconds == nullptr ? 0 : *seconds;
}

// Calls the kernel directly, because syscall() of the C library is replaced below.
long kernel(long number, long a, long b, long c, long d, long e, long f) {
  long result = 0;
  register long r10 asm("r10") = d;
  register long r8 asm("r8") = e;
  register long r9 asm("r9") = f;
  asm volatile("syscall"
               : "=a"(result)
               : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
               : "rcx", "r11", "memory");
  if (result >= 0 || result < -4095) return result;
  errno = static_cast<int>(-result);
  return -1;
}

}  // namespace

extern "C" {

long syscall(long number, ...) noexcept {
  va_list list;
  va_start(list, number);
  long a[6];
  for (long& one : a) one = va_arg(list, long);
  va_end(list);
  const bool wall = number == SYS_futex && (a[1] & FUTEX_CLOCK_REALTIME) != 0 && a[3] != 0;
  struct timespec until {};
  if (wall) {
    until = *reinterpret_cast<const struct timespec*>(a[3]);
    until.tv_sec -= offset();
    a[3] = reinterpret_cast<long>(&until);
  }
  return kernel(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

int clock_gettime(clockid_t clock, struct timespec* now) noexcept {
  const long rc = kernel(SYS_clock_gettime, clock, reinterpret_cast<long>(now), 0, 0, 0, 0);
  if (rc == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE)) now->tv_sec += offset();
  return static_cast<int>(rc);
}

int gettimeofday(struct timeval* __restrict now, void* __restrict) noexcept {
  struct timespec exact {};
  const int rc = clock_gettime(CLOCK_REALTIME, &exact);
  now->tv_sec = exact.tv_sec;
  now->tv_usec = exact.tv_nsec / 1000;
  return rc;
}

time_t time(time_t* out) noexcept {
  struct timespec exact {};
  clock_gettime(CLOCK_REALTIME, &exact);
  if (out != nullptr) *out = exact.tv_sec;
  return exact.tv_sec;
}
}
