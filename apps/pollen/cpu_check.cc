// Says so when the processor lacks what the build needs. Runs before every other static initialiser, and is compiled
// without those instructions itself.
#include <unistd.h>

namespace {

__attribute__((constructor(101))) void check_processor() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")) return;
  constexpr char kLine[] =
      "pollen: this build needs a processor with AVX2 and FMA (Intel since 2013, AMD since 2015)\n";
  if (::write(STDERR_FILENO, kLine, sizeof kLine - 1) < 0) _exit(1);
  _exit(1);
}

}  // namespace
