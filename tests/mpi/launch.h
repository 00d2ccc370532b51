// Runs the program under mpirun, in a folder of its own.
#pragma once

#include "child.h"
#include "program.h"

namespace pollen {

class MpiTest : public ProgramTest {
 protected:
  MpiTest();
  // Returns mpirun -n `ranks` pollen `arguments`.
  static Words job(int ranks, const Words& arguments);
  Outcome mpi(int ranks, const Words& arguments) const;
  // Starts the job beside the test.
  Child start(int ranks, const Words& arguments, const std::string& log) const;
  pid_t process_of(int rank) const;  // the process of a rank of the job in this folder; -1 if there is none
  void expect_same_draws(const std::string& a, const std::string& b, int chains) const;
};

int times(const std::string& text, const std::string& what);  // how often the text contains it

}  // namespace pollen
