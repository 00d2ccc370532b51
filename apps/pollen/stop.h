// Ctrl-C and SIGTERM as a flag that the sampling loop checks. A second signal ends the program at once. The flag may be
// read from any thread.
#pragma once

#include <atomic>

namespace pollen::app {

void watch_signals();           // from now on, these signals set the flag
void watch_forwarded_signal();  // SIGUSR1 sets it too: mpirun and Slurm forward it without ending the job
void ignore_signals();          // for ranks that stop when rank 0 tells them
bool interrupted();             // whether a signal has arrived
const std::atomic<bool>& stop_flag();

}  // namespace pollen::app
