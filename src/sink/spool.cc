#include "sink/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
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

constexpr Seal kSpoolSeal{"POLLENSP", 2, "a spool of draws", "run without --resume"};
constexpr std::size_t kWriteBuffer = std::size_t{1} << 20;
constexpr std::size_t kReadBuffer = std::size_t{4} << 20;

ByteView bytes_of(std::span<const double> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

// The checksum's first part, by which a record in another place is found, too.
std::uint32_t place_sum(std::int64_t draw, Index chain) {
  const std::int64_t place[] = {draw, chain};
  return checksum({reinterpret_cast<const std::uint8_t*>(place), sizeof place});
}

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
  left.check(draws);
  file_.truncate(offset_of(shape, draws));
}

void SpoolWriter::append(ConstPanelView position, std::span<const double> potential,
                         std::span<const Transition> transitions) {
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  for (Index c = 0; c < shape_.chains; ++c) {
    const double u = potential.empty() ? kNone : potential[static_cast<std::size_t>(c)];
    std::uint32_t sum = place_sum(draws_, c);
    const auto put = [&](std::span<const double> values) {
      sum = checksum(bytes_of(values), sum);
      file_.write(values.data(), values.size_bytes());
    };
    put({&u, 1});
    put({position.data + c * position.stride, static_cast<std::size_t>(shape_.dimension)});
    if (shape_.extras != 0) {
      const Transition t = transitions.empty() ? Transition{} : transitions[static_cast<std::size_t>(c)];
      const double extras[SpoolShape::kTransition] = {
          t.accept, t.step, static_cast<double>(t.depth), static_cast<double>(t.leapfrogs), t.divergent ? 1.0 : 0.0,
          t.energy};
      put(extras);
    }
    const std::uint64_t stored = sum;
    file_.write(&stored, sizeof stored);
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

void SpoolReader::check_chain(std::int64_t draw, Index chain, std::span<const double> values_and_sum) const {
  const std::uint64_t right = checksum(bytes_of(values_and_sum.first(shape_.values())), place_sum(draw, chain));
  const auto found = std::bit_cast<std::uint64_t>(values_and_sum.back());
  if (found != right)
    throw IoError(
        fmt::format("{}: found damaged bytes in draw {} of chain {} (its checksum is {:#010x}, accepted: "
                    "{:#010x}); the {} draws before it are whole, and the run has to begin again",
                    path_, draw + 1, chain + 1, found, right, draw));
}

void SpoolReader::each(const std::function<void(std::int64_t, std::span<const double>)>& visit) const {
  read_records(draws_, visit);
}

void SpoolReader::check(std::int64_t draws) const {
  read_records(draws, [](std::int64_t, std::span<const double>) {});
}

void SpoolReader::read_records(std::int64_t draws,
                               const std::function<void(std::int64_t, std::span<const double>)>& visit) const {
  const std::size_t record = shape_.record();
  const auto per_read = static_cast<std::int64_t>(std::max<std::size_t>(1, kReadBuffer / (record * sizeof(double))));
  std::vector<double> buffer;
  for (std::int64_t first = 0; first < draws; first += per_read) {
    const auto count = static_cast<std::size_t>(std::min(per_read, draws - first));
    buffer.resize(count * record);
    read_at(offset_of(shape_, first), buffer.data(), buffer.size() * sizeof(double));
    for (std::size_t i = 0; i < count; ++i) {
      const auto draw = first + static_cast<std::int64_t>(i);
      const auto values = std::span<const double>(buffer).subspan(i * record, record);
      for (Index c = 0; c < shape_.chains; ++c)
        check_chain(draw, c, values.subspan(static_cast<std::size_t>(c) * shape_.width(), shape_.width()));
      visit(draw, values);
    }
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
  std::vector<double> values(shape_.width());
  const auto skip = static_cast<std::int64_t>(sizeof(double)) * chain * static_cast<std::int64_t>(shape_.width());
  read_at(offset_of(shape_, draw) + skip, values.data(), values.size() * sizeof(double));
  check_chain(draw, chain, values);
  std::copy_n(values.begin() + 1, theta.size(), theta.begin());
}

}  // namespace pollen::sink
