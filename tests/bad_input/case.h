// A wrong input and what the program must say about it. Every case expects exit code 2, one line per problem on stderr
// with the given words in it, nothing on stdout, and a folder without a changed byte.
#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "apps/program.h"

namespace pollen::bad_input {

using Files = std::map<std::string, std::string>;  // a name that ends in "/" is a folder
// Maps "sampler.step" to its TOML value; an empty value removes the key.
using Keys = std::map<std::string, std::string>;

struct Case {
  std::string name;
  Keys keys = {};                 // added to those of a small logistic problem on d.csv
  std::vector<Words> lines = {};  // for each line of stderr, the words it must contain
  Files files = {};               // written beside a.toml and d.csv, or in their place
  std::string tail = {};          // tables at the end of a.toml
  Words words = {"run", "a.toml", "--out", "out"};
};

std::ostream& operator<<(std::ostream& out, const Case& one);
std::string name_of(const testing::TestParamInfo<Case>& info);

// The first lines of d.csv, which has eight rows of x, z and a label y.
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

// Defines and instantiates a suite of cases.
#define POLLEN_BAD_INPUT(suite, cases)                  \
  class suite : public CaseTest {};                     \
  TEST_P(suite, IsToldAndNothingIsWritten) { check(); } \
  INSTANTIATE_TEST_SUITE_P(Cases, suite, ::testing::ValuesIn(cases), name_of)
