// Ctrl-C and SIGTERM as a flag that the sampling loop looks at. A second signal ends the program at once.
#pragma once

#include <atomic>

namespace pollen::app {

void watch_signals();           // from here on they set the flag
void watch_forwarded_signal();  // SIGUSR1 too: what mpirun and Slurm pass on without ending the job
void ignore_signals();          // for ranks that wait for another's word
bool interrupted();             // one has come
const std::atomic<bool>& stop_flag();

}  // namespace pollen::app
