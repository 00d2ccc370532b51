#include "sink/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>

#include "base/sealed_file.h"
#include "pollen/errors.h"

namespace pollen::sink {

namespace {

struct SpoolHeader {
  std::uint8_t seal[12];
  std::uint32_t extras;
  std::uint64_t dimension;
  std::uint64_t chains;
};
static_assert(sizeof(SpoolHeader) == 32);

constexpr Seal kSpoolSeal{"POLLENSP", 1, "a spool of draws", "run without --resume"};
constexpr std::size_t kWriteBuffer = std::size_t{1} << 20;
constexpr std::size_t kReadBuffer = std::size_t{4} << 20;

std::int64_t offset_of(const SpoolShape& shape, std::int64_t draw) {
  return static_cast<std::int64_t>(sizeof(SpoolHeader)) +
         draw * static_cast<std::int64_t>(shape.record() * sizeof(double));
}

SpoolShape read_shape(int descriptor, const std::string& path) {
  SpoolHeader header{};
  const ssize_t got = ::pread(descriptor, &header, sizeof header, 0);
  if (got < 0) io_failure(path, "read", errno);
  kSpoolSeal.check({header.seal, static_cast<std::size_t>(std::min<ssize_t>(got, sizeof header.seal))}, path);
  constexpr std::uint64_t kLarge = std::uint64_t{1} << 40;
  if (got < static_cast<ssize_t>(sizeof header) || header.dimension > kLarge || header.chains > kLarge ||
      header.chains == 0 || (header.extras != 0 && header.extras != SpoolShape::kTransition))
    kSpoolSeal.refuse(
        path, fmt::format("{} bytes of a header with {} chains, {} parameters and {} extras (accepted: {} "
                          "bytes, 1 or more chains, and 0 or {} extras)",
                          got, header.chains, header.dimension, header.extras, sizeof header, SpoolShape::kTransition));
  return {static_cast<Index>(header.dimension), static_cast<Index>(header.chains), static_cast<Index>(header.extras)};
}

}  // namespace

SpoolWriter::SpoolWriter(const std::string& path, SpoolShape shape)
    : file_(path, OutputFile::Open::replace, kWriteBuffer), shape_(shape) {
  SpoolHeader header{};
  kSpoolSeal.write_to(header.seal);
  header.extras = static_cast<std::uint32_t>(shape.extras);
  header.dimension = static_cast<std::uint64_t>(shape.dimension);
  header.chains = static_cast<std::uint64_t>(shape.chains);
  file_.write(&header, sizeof header);
}

SpoolWriter::SpoolWriter(const std::string& path, SpoolShape shape, std::int64_t draws)
    : file_(path, OutputFile::Open::append, kWriteBuffer), shape_(shape), draws_(draws) {
  const SpoolReader left(path);
  if (left.shape() != shape || left.draws() < draws)
    throw IoError(
        fmt::format("{}: found {} draws of {} chains × {} parameters with {} extras, accepted: at least {} of {} × {} "
                    "with {}, as in the checkpoint",
                    path, left.draws(), left.shape().chains, left.shape().dimension, left.shape().extras, draws,
                    shape.chains, shape.dimension, shape.extras));
  file_.truncate(offset_of(shape, draws));
}

void SpoolWriter::append(ConstPanelView position, std::span<const double> potential,
                         std::span<const Transition> transitions) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (Index c = 0; c < shape_.chains; ++c) {
    const double u = potential.empty() ? kNone : potential[static_cast<std::size_t>(c)];
    file_.write(&u, sizeof u);
    file_.write(position.data + c * position.stride, static_cast<std::size_t>(shape_.dimension) * sizeof(double));
    if (shape_.extras == 0) continue;
    const Transition t = transitions.empty() ? Transition{} : transitions[static_cast<std::size_t>(c)];
    const double extras[SpoolShape::kTransition] = {
        t.accept, t.step, static_cast<double>(t.depth), static_cast<double>(t.leapfrogs), t.divergent ? 1.0 : 0.0,
        t.energy};
    file_.write(extras, sizeof extras);
  }
  ++draws_;
}

SpoolReader::SpoolReader(const std::string& path)
    : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  if (descriptor_ < 0) io_failure(path_, "open", errno);
  try {
    shape_ = read_shape(descriptor_, path_);
    struct stat status {};
    if (::fstat(descriptor_, &status) != 0) io_failure(path_, "read", errno);
    draws_ = (static_cast<std::int64_t>(status.st_size) - offset_of(shape_, 0)) /
             static_cast<std::int64_t>(shape_.record() * sizeof(double));
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

SpoolReader::~SpoolReader() { ::close(descriptor_); }

void SpoolReader::read_at(std::int64_t offset, void* data, std::size_t bytes) const {
  auto* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::pread(descriptor_, to, bytes, offset);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) io_failure(path_, "read", errno);
    if (done == 0) throw IoError(path_ + ": cut short while being read");
    to += done;
    offset += done;
    bytes -= static_cast<std::size_t>(done);
  }
}

void SpoolReader::each(const std::function<void(std::int64_t, std::span<const double>)>& visit) const {
  const std::size_t record = shape_.record();
  const auto per_read = static_cast<std::int64_t>(std::max<std::size_t>(1, kReadBuffer / (record * sizeof(double))));
  std::vector<double> buffer;
  for (std::int64_t first = 0; first < draws_; first += per_read) {
    const auto count = static_cast<std::size_t>(std::min(per_read, draws_ - first));
    buffer.resize(count * record);
    read_at(offset_of(shape_, first), buffer.data(), buffer.size() * sizeof(double));
    for (std::size_t i = 0; i < count; ++i)
      visit(first + static_cast<std::int64_t>(i), std::span<const double>(buffer).subspan(i * record, record));
  }
}

void SpoolReader::parameters(Index first, Index count, std::vector<double>& out) const {
  const auto draws = static_cast<std::size_t>(draws_), chains = static_cast<std::size_t>(shape_.chains);
  const std::size_t width = shape_.width(), from = static_cast<std::size_t>(1 + first);
  out.resize(static_cast<std::size_t>(count) * chains * draws);
  each([&](std::int64_t draw, std::span<const double> record) {
    for (std::size_t p = 0; p < static_cast<std::size_t>(count); ++p)
      for (std::size_t c = 0; c < chains; ++c)
        out[(p * chains + c) * draws + static_cast<std::size_t>(draw)] = record[c * width + from + p];
  });
}

void SpoolReader::draw(std::int64_t draw, Index chain, std::span<double> theta) const {
  const auto skip = static_cast<std::int64_t>(sizeof(double)) * (chain * static_cast<std::int64_t>(shape_.width()) + 1);
  read_at(offset_of(shape_, draw) + skip, theta.data(), theta.size_bytes());
}

}  // namespace pollen::sink
