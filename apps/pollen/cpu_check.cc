// Prints an error and exits if the processor lacks instructions that the build needs. It runs before all other static
// initialisers and is itself compiled without those instructions.
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
