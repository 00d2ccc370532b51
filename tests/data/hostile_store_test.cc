// Stores that are cut, damaged or contain lies give a ConfigError, whatever they claim.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstring>
#include <functional>

#include "data/store_layout.h"
#include "files.h"

namespace pollen {
namespace {

using data::Section;
using data::StoreHeader;
using testing::complaint;
using ::testing::HasSubstr;

using Image = AlignedVector<std::uint8_t>;

class HostileStore : public ::testing::Test {
 protected:
  HostileStore() {
    DataSpec spec;
    spec.sources = {folder_.write("a.csv", "s,x,c,y\nn,1,u,no\ns,2,v,yes\ns,3,w,no\nn,6,u,yes\nn,4,v,no\n")};
    spec.partition = "by-column", spec.column = "s";
    convert_to_store({spec, TargetKind::binary, 1, "", "[data]\nlimit = 0\n"}, folder_.path("a.pollen"));
    std::ifstream in(folder_.path("a.pollen"), std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), {});
    image_.assign(bytes.begin(), bytes.end());
  }
  static std::string says(const Image& image) {
    return complaint([&] { data::federation_of(image, nullptr, TargetKind::binary, "a.pollen"); });
  }
  StoreHeader header() const { return data::decode_header(ByteView(image_).first(4096), image_.size(), ""); }
  static void set(const StoreHeader& header, Image& image) {
    const Bytes page = data::encode_header(header);
    std::copy(page.begin(), page.end(), image.begin());
  }
  // Changes the header and corrects its checksum.
  std::string lie(const std::function<void(StoreHeader&)>& change) const {
    StoreHeader h = header();
    change(h);
    Image image = image_;
    set(h, image);
    return says(image);
  }
  static Section& section(StoreHeader& h, const std::string& name) {
    return *std::find_if(h.sections.begin(), h.sections.end(), [&](const Section& s) { return s.name == name; });
  }
  // Changes a section's content and corrects its checksum.
  template <class T>
  std::string lie_in(const std::string& name, std::size_t at, T value) const {
    StoreHeader h = header();
    Section& s = section(h, name);
    Image image = image_;
    std::memcpy(image.data() + s.offset + at * sizeof(T), &value, sizeof(T));
    s.crc = checksum(ByteView(image).subspan(s.offset, s.bytes));
    set(h, image);
    return says(image);
  }
  testing::Folder folder_;
  Image image_;
};

TEST_F(HostileStore, IsFineAsItIs) { EXPECT_EQ(says(image_), ""); }

TEST_F(HostileStore, CutAnywhere) {
  for (std::size_t size = 0; size < image_.size(); size += size < 4200 ? 1 : 97)
    EXPECT_NE(says(Image(image_.begin(), image_.begin() + static_cast<std::ptrdiff_t>(size))), "") << size;
  Image longer = image_;
  longer.push_back(0);
  EXPECT_THAT(says(longer), HasSubstr("added to"));
}

TEST_F(HostileStore, AnyBitOfHeaderOrSections) {
  std::vector<bool> covered(image_.size());
  std::fill_n(covered.begin(), 4096, true);
  for (const Section& s : header().sections)
    if (s.name != "keys")  // store_facts() reads this section
      std::fill_n(covered.begin() + static_cast<std::ptrdiff_t>(s.offset), s.bytes, true);
  for (std::size_t at = 0; at < image_.size(); ++at) {
    if (!covered[at]) continue;
    Image flipped = image_;
    flipped[at] ^= static_cast<std::uint8_t>(1u << at % 8);
    EXPECT_NE(says(flipped), "") << at;
  }
}

TEST_F(HostileStore, KeysAreChecked) {
  StoreHeader h = header();
  std::string bytes(image_.begin(), image_.end());
  bytes[section(h, "keys").offset + 3] ^= 1;
  const std::string file = folder_.write("b.pollen", bytes);
  EXPECT_THAT(complaint([&] { store_facts(file); }), HasSubstr("section keys: the checksum is wrong"));
  EXPECT_THAT(complaint([&] { check_store(file); }), HasSubstr("checksum"));
}

TEST_F(HostileStore, SectionsThatAreNotThere) {
  for (const char* name : {"names", "columns", "train.begin", "test.begin", "train.x", "train.y", "test.x", "test.y"})
    EXPECT_THAT(lie([&](StoreHeader& h) { section(h, name).name = "other"; }), HasSubstr("found none")) << name;
  EXPECT_THAT(lie([](StoreHeader& h) { section(h, "test.x").name = "train.x"; }), HasSubstr("two sections"));
  EXPECT_THAT(lie([](StoreHeader& h) { section(h, "test.x").name = "A\n"; }),
              HasSubstr("found a section named \"A?\", accepted: names of 1 to 15"));
}

TEST_F(HostileStore, PlacesAndSizes) {
  const auto of_x = [&](const std::function<void(Section&)>& change) {
    return lie([&](StoreHeader& h) { change(section(h, "train.x")); });
  };
  const std::uint64_t much = std::uint64_t{1} << 61;
  EXPECT_NE(of_x([&](Section& s) { s.offset = much; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.offset += 8; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.offset = 0; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.bytes = ~std::uint64_t{0}; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.rows = much; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.rows = much, s.bytes = 0; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.stride = 0; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.stride = much, s.bytes = 0, s.rows = 0; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.columns = 9; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.columns = 3; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.cells = data::Cells::int64; }), "");
  EXPECT_NE(of_x([&](Section& s) { s.cells = static_cast<data::Cells>(7); }), "");
}

TEST_F(HostileStore, NumbersOfTheHeader) {
  EXPECT_NE(lie([](StoreHeader& h) { h.clients = 0; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.clients = 3; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.clients = ~std::uint64_t{0}; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.target = static_cast<TargetKind>(9); }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.target = TargetKind::real; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.target = TargetKind::none; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.intercept = false; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.setup_bits = -1; }), "");
  EXPECT_NE(lie([](StoreHeader& h) { h.file_bytes += 64; }), "");
}

TEST_F(HostileStore, ContentThatWouldDoHarm) {
  for (const std::int64_t place : {std::int64_t{-1}, std::int64_t{0}, std::int64_t{6}, std::int64_t{1} << 62})
    EXPECT_NE(lie_in("train.begin", 1, place), "") << place;
  EXPECT_NE(lie_in("train.begin", 0, std::int64_t{1}), "");
  EXPECT_NE(lie_in("train.begin", 2, std::int64_t{4}), "");
  EXPECT_NE(lie_in("test.begin", 2, std::int64_t{2}), "");
  for (const double target : {2.0, -1.0, 0.5, 1e300, std::nan("")})
    EXPECT_NE(lie_in("train.y", 0, target), "") << target;
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{3}, std::uint64_t{1} << 40, ~std::uint64_t{0}}) {
    EXPECT_NE(lie_in("names", 0, count), "") << count;  // number of the columns' names
    EXPECT_NE(lie_in("names", 1, count), "") << count;  // length of the first name
  }
  EXPECT_NE(lie_in("client.names", 0, std::uint64_t{1} << 40), "");
}

}  // namespace
}  // namespace pollen
