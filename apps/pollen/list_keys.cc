// pollen list keys: prints the configuration keys as a table for a terminal or in the format of docs/configuration.md.
// Both are made from the key table (recipe/key.h).
#include <fmt/format.h>

#include <algorithm>

#include "commands.h"
#include "pollen/errors.h"
#include "recipe/key.h"
#include "sink/text.h"
#include "terminal.h"

namespace pollen::app {

namespace {

using Cells = std::vector<std::string>;
// The widths of the columns. With a space between them, a table is 100 characters wide.
constexpr std::size_t kWidths[] = {20, 20, 24, 33};

// Breaks a text into lines at spaces, or inside a word that is longer than a line.
Cells wrapped(const std::string& text, std::size_t width) {
  Cells lines = {""};
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(' ', at), text.size());
    std::string word = text.substr(at, end - at);
    at = end + 1;
    if (!lines.back().empty() && sink::display_width(lines.back()) + 1 + sink::display_width(word) > width)
      lines.emplace_back();
    for (; lines.back().empty() && word.size() > width; lines.emplace_back()) {
      lines.back() = word.substr(0, width);
      word.erase(0, width);
    }
    if (!lines.back().empty()) lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

std::string table_row(const Cells& cells) {
  std::vector<Cells> columns;
  std::size_t height = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    columns.push_back(wrapped(cells[c], kWidths[c]));
    height = std::max(height, columns.back().size());
  }
  std::string out;
  for (std::size_t line = 0; line < height; ++line) {
    std::string text;
    for (std::size_t c = 0; c < columns.size(); ++c)
      text += sink::pad_right(line < columns[c].size() ? columns[c][line] : "", kWidths[c] + 1);
    out += text.substr(0, text.find_last_not_of(' ') + 1) + '\n';
  }
  return out;
}

std::string used(const Key& key) { return key.when.words.empty() ? "" : fmt::format(" Used {}.", key.when.words); }

std::string title(const Section& section) {
  if (section.name.empty()) return "Top level";
  return section.name == "client" ? "[[client]]" : fmt::format("[{}]", section.name);
}

std::vector<Key> keys_of(const Section& section) {
  std::vector<Key> rows;
  for (const Key& key : section.name == "client" ? client_keys() : keys())
    if (key.section() == section.name) rows.push_back(key);
  return rows;
}

std::string section_table(const Section& section) {
  std::string out;
  for (const std::string& line : wrapped(fmt::format("{}: {}{}", title(section), section.purpose,
                                                     section.page.empty() ? "" : " See docs/" + section.page + "."),
                                         100))
    out += line + '\n';
  out += '\n';
  out += table_row({"key", "default", "accepted", "what it means"});
  for (const Key& key : keys_of(section))
    out += table_row({key.name(), key.default_text(), key.accepted_words(), key.help_text + used(key)});
  return out;
}

std::string one_key(const Key& key) {
  std::string out = key.path + '\n';
  for (const std::string& line : wrapped(key.help_text, 96)) out += "  " + line + '\n';
  const auto fact = [&](const char* name, const std::string& words) {
    bool first = true;
    for (const std::string& line : wrapped(words, 86)) {
      out += fmt::format("  {:<10}{}\n", first ? name : "", line);
      first = false;
    }
  };
  fact("type", key.type);
  fact("default", key.default_text());
  fact("accepted", key.accepted_words());
  fact("used", key.when.words.empty() ? "always" : key.when.words);
  return out;
}

constexpr const char* kIntroduction = R"(# Configuration

This page is for everybody who writes a configuration: it lists every key with its default, what it accepts and what it means.
It is made by `pollen list keys --markdown` (`make docs`) from the rows in src/recipe/keys_*.cc; change those, not this page.

A configuration is one TOML file. `pollen run FILE --set key=value` overrides any key; the value is TOML, or else a bare string.
Paths are relative to the file. Unknown keys are errors that name the nearest known one. A key that the chosen sampler or model
does not use is accepted and listed among the warnings. `DIR/config.toml` is the effective configuration with every default
written out; running it again gives the same draws.

`pollen list keys sampler` prints one section in a terminal, `pollen list keys sampler.step` one key.
)";

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) (c == '|' || c == '*' ? out += '\\' : out) += c;
  return out;
}

std::string markdown() {
  std::string out = kIntroduction;
  for (const Section& section : sections()) {
    out += fmt::format("\n## {}\n\n{}{}\n\n", title(section), section.purpose,
                       section.page.empty() ? "" : fmt::format(" See [{0}]({0}).", section.page));
    out += "| key | type | default | accepted | what it means |\n|---|---|---|---|---|\n";
    for (const Key& key : keys_of(section))
      out += fmt::format("| `{}` | {} | {} | {} | {} |\n", key.path, key.type, escaped(key.default_text()),
                         escaped(key.accepted_words()), escaped(key.help_text + used(key)));
  }
  return out;
}

}  // namespace

void list_keys(const ListOptions& options) {
  if (options.markdown) return print(markdown());
  Cells names;
  std::string out;
  for (const Section& section : sections()) {
    const std::string name = section.name.empty() ? "top" : section.name;
    names.push_back(name);
    if (options.narrow.empty() || options.narrow == name)
      out += fmt::format("{}{}", out.empty() ? "" : "\n", section_table(section));
    for (const Key& key : keys_of(section)) {
      names.push_back(key.path);
      if (key.path == options.narrow) out = one_key(key);
    }
  }
  if (out.empty()) {
    const auto near = nearest(options.narrow, names);
    throw ConfigError("list keys", fmt::format("found \"{}\", accepted: a section or a key{}", options.narrow,
                                               near ? fmt::format("; did you mean {}?", *near) : ""));
  }
  print(out);
}

}  // namespace pollen::app
