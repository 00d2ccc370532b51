#include "data/file_digests.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "base/file.h"
#include "base/sealed_file.h"
#include "data/phrases.h"
#include "readers.h"
#include "store_layout.h"

namespace pollen {

std::vector<std::string> files_of(DataSpec spec) {
  std::set<std::string> files;
  const std::vector<std::string> builtin = builtin_datasets();
  for (const std::string& source : spec.sources)
    if (std::ranges::find(builtin, source) == builtin.end()) files.insert(source);
  for (const std::string* path : named_files(spec))
    if (!path->empty()) files.insert(*path);
  std::error_code ignored;
  for (const std::string& path : std::set<std::string>(files))
    if (const auto labels = data::label_file_of(path); labels && std::filesystem::exists(*labels, ignored))
      files.insert(*labels);
  return {files.begin(), files.end()};
}

FileDigest digest_of(const std::string& path) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rbe"), std::fclose);
  if (!file) io_failure(path, "open", errno);
  FileDigest digest{path, static_cast<std::int64_t>(std::filesystem::file_size(path)), 0};
  std::vector<std::uint8_t> part(std::size_t{1} << 20);
  const bool store = path.ends_with(".pollen");
  if (store) part.resize(data::kStorePage);
  for (std::size_t n = 0; (n = std::fread(part.data(), 1, part.size(), file.get())) > 0;) {
    digest.crc = checksum(ByteView(part).first(n), digest.crc);
    if (store) break;
  }
  if (std::ferror(file.get()) != 0) io_failure(path, "read", errno);
  return digest;
}

}  // namespace pollen
