#include "case.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace pollen::bad_input {

namespace fs = std::filesystem;

const char* const kRows = "x,z,y\n1,2,0\n2,1,1\n3,5,0\n4,4,1\n5,0,0\n6,2,1\n7,3,0\n8,8,1\n";

std::ostream& operator<<(std::ostream& out, const Case& one) { return out << one.name; }

std::string name_of(const testing::TestParamInfo<Case>& info) { return info.param.name; }

std::string toml(const Keys& keys, const std::string& tail) {
  Keys all = {{"model.kind", "\"logistic\""}, {"data.source", "\"d.csv\""}, {"data.target", "\"y\""},
              {"data.clients", "2"},          {"sampler.name", "\"lsd\""},  {"sampler.step", "0.01"},
              {"run.iterations", "40"},       {"run.chains", "2"}};
  for (const auto& [key, value] : keys) all[key] = value;
  std::string text;
  for (const auto& [key, value] : all)
    if (!value.empty()) text += key + " = " + value + "\n";
  return text + tail;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

void CaseTest::put_all(const Files& files) const {
  for (const auto& [name, content] : files) {
    const fs::path at = path(name);
    fs::create_directories(name.ends_with("/") ? at : at.parent_path());
    if (!name.ends_with("/")) std::ofstream(at, std::ios::binary) << content;
  }
}

Files CaseTest::snapshot() const {
  Files all;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    const std::string name = fs::relative(entry.path(), folder_).string();
    all[entry.is_directory() ? name + "/" : name] = entry.is_directory() ? "" : slurp(name);
  }
  return all;
}

void CaseTest::check() {
  const Case& one = GetParam();
  Files files = {{"a.toml", toml(one.keys, one.tail)}, {"d.csv", kRows}};
  for (const auto& [name, content] : one.files) files[name] = content;
  put_all(files);
  const Files before = snapshot();
  const Outcome outcome = run(one.words);
  EXPECT_EQ(outcome.code, 2) << outcome.err;
  EXPECT_EQ(outcome.out, "");
  EXPECT_EQ(snapshot(), before);
  const auto lines = lines_of(outcome.err);
  ASSERT_EQ(lines.size(), one.lines.size()) << outcome.err;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    EXPECT_TRUE(lines[i].starts_with("pollen: ")) << lines[i];
    for (const std::string& word : one.lines[i])
      EXPECT_NE(lines[i].find(word), std::string::npos) << "no \"" << word << "\" in: " << lines[i];
  }
}

}  // namespace pollen::bad_input
