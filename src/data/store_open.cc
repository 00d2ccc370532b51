// Opens store files read-only: maps them, reports their facts and verifies them.
#include <fmt/format.h>

#include <algorithm>

#include "data/store.h"
#include "mapped_file.h"
#include "pollen/errors.h"
#include "store_layout.h"
#include "store_names.h"

namespace pollen {

namespace data {

namespace {

StoreHeader header_of(const MappedFile& mapping, const std::string& file) {
  const ByteView bytes = mapping.bytes();
  return decode_header(bytes.first(std::min(bytes.size(), kStorePage)), bytes.size(), file);
}

void check(const Section& section, const MappedFile& mapping, const std::string& file) {
  if (checksum(mapping.bytes().subspan(section.offset, section.bytes)) != section.crc)
    throw ConfigError(fmt::format("{}: section {}", file, section.name), "the checksum is wrong: the file is damaged");
}

std::string target_of(ByteView names, const std::string& file) {
  Federation words;
  try {
    Archive archive(names);
    archive_names(archive, words);
  } catch (const WireError& error) {
    throw ConfigError(file + ": section names", fmt::format("found {}", error.what()));
  }
  return words.layout.target;
}

}  // namespace

Federation map_store(const std::string& file, TargetKind target) {
  const auto mapping = std::make_shared<const MappedFile>(file);
  return federation_of(mapping->bytes(), mapping, target, file);
}

}  // namespace data

bool is_store(const DataSpec& spec) {
  return spec.sources.size() == 1 && (spec.format == data::kStoreFormat || spec.sources.front().ends_with(".pollen"));
}

StoreFacts store_facts(const std::string& file) {
  const data::MappedFile mapping(file);
  const data::StoreHeader header = data::header_of(mapping, file);
  StoreFacts facts{header.target, header.seed, static_cast<Index>(header.clients), 0, 0, 0, 0, {}, {}};
  facts.bytes = static_cast<std::int64_t>(header.file_bytes);
  for (const data::Section& section : header.sections) {
    if (section.name == "train.x") facts.train_rows = static_cast<Index>(section.rows);
    if (section.name == "train.x") facts.columns = static_cast<Index>(section.columns);
    if (section.name == "test.x") facts.test_rows = static_cast<Index>(section.rows);
    if (section.name != "keys" && section.name != "names") continue;
    data::check(section, mapping, file);
    const ByteView bytes = mapping.bytes().subspan(section.offset, section.bytes);
    if (section.name == "keys")
      facts.keys.assign(bytes.begin(), bytes.end());
    else
      facts.target_column = data::target_of(bytes, file);
  }
  return facts;
}

void check_store(const std::string& file) {
  const auto mapping = std::make_shared<const data::MappedFile>(file);
  const data::StoreHeader header = data::header_of(*mapping, file);
  for (const data::Section& section : header.sections) data::check(section, *mapping, file);
  data::federation_of(mapping->bytes(), mapping, header.target, file);
}

}  // namespace pollen
