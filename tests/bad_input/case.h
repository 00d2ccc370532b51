// A wrong input and what the program must say of it. Every case asks for the same: exit code 2, one line a problem on
// stderr with the given words in it, nothing on stdout, and not a byte changed in the folder.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "apps/program.h"

namespace pollen::bad_input {

using Files = std::map<std::string, std::string>;  // a name that ends in "/" is a folder
using Keys = std::map<std::string, std::string>;   // "sampler.step" to its TOML value; empty leaves the key out

struct Case {
  std::string name;
  Keys keys = {};                 // over those of a small logistic problem on d.csv
  std::vector<Words> lines = {};  // for each line of stderr the words it must have
  Files files = {};               // beside a.toml and d.csv, or instead of them
  std::string tail = {};          // the end of a.toml: tables
  Words words = {"run", "a.toml", "--out", "out"};
};

std::ostream& operator<<(std::ostream& out, const Case& one);
std::string name_of(const testing::TestParamInfo<Case>& info);

// Eight rows of x, z and a label y; its first lines.
extern const char* const kRows;

std::string toml(const Keys& keys, const std::string& tail = {});  // the small problem with these keys

class CaseTest : public ProgramTest, public testing::WithParamInterface<Case> {
 protected:
  void check();
  void put_all(const Files& files) const;
  Files snapshot() const;  // every file of the folder with its content
};

std::vector<std::string> lines_of(const std::string& text);

}  // namespace pollen::bad_input

// A suite of cases, instantiated.
#define POLLEN_BAD_INPUT(suite, cases)                  \
  class suite : public CaseTest {};                     \
  TEST_P(suite, IsToldAndNothingIsWritten) { check(); } \
  INSTANTIATE_TEST_SUITE_P(Cases, suite, ::testing::ValuesIn(cases), name_of)
