// Tests network traces, and wrong ones with the exact message a user sees. FILE stands for the file's path.
#include "data/network_trace.h"

#include "files.h"

namespace pollen {
namespace {

using testing::complaint;
using testing::Folder;
using testing::replaced;

const std::vector<std::string> kClients = {"north", "south, \"old\"", "3"};
const std::string kHeader = "client,uplink_mbps,downlink_mbps,latency_ms,gradients_per_second";
const std::string kGood = kHeader + "\n3,1,2,0,4\nnorth,5,6,7.5,8\n\"south, \"\"old\"\"\",9,10,11,12\n";

TEST(NetworkTrace, RowsInAnyOrder) {
  const Folder folder;
  const auto rows = read_network_trace(folder.write("t.csv", kGood), kClients);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[0].uplink_mbps, 5);
  EXPECT_EQ(rows[0].latency_ms, 7.5);
  EXPECT_EQ(rows[1].downlink_mbps, 10);
  EXPECT_EQ(rows[2].latency_ms, 0);
  EXPECT_EQ(rows[2].gradients_per_second, 4);
  EXPECT_EQ(rows[2].availability, 1);
}

TEST(NetworkTrace, AvailabilityWhereItIsGiven) {
  const Folder folder;
  const auto rows =
      read_network_trace(folder.write("t.csv",
                                      "availability,client,latency_ms,gradients_per_second,uplink_mbps,downlink_mbps\n"
                                      "0.25,1,2,3,4,5\n"),
                         {"1"});
  EXPECT_EQ(rows[0].availability, 0.25);
  EXPECT_EQ(rows[0].downlink_mbps, 5);
}

std::string says(const std::string& bytes, const std::vector<std::string>& clients = kClients) {
  const Folder folder;
  const std::string path = folder.write("t.csv", bytes);
  const std::string all = complaint([&] { read_network_trace(path, clients); });
  return replaced(all.substr(0, all.find('\n')), path, "FILE");
}

TEST(NetworkTrace, SaysFileRowFoundAndAccepted) {
  EXPECT_EQ(says(""), "FILE: found an empty file, accepted: a file with rows");
  EXPECT_EQ(says(kHeader + "\n"), "FILE: found a header and no rows, accepted: at least one row");
  EXPECT_EQ(
      says("client,uplink_mbps,downlink_mbps,latency_ms\n1,2,3,4\n"),
      "FILE: row 1: found no column gradients_per_second, accepted: client, uplink_mbps, downlink_mbps, latency_ms, "
      "gradients_per_second, availability");
  EXPECT_EQ(says(replaced(kGood, "uplink_mbps", "uplink_mbs")),
            "FILE: row 1: found \"uplink_mbs\", accepted: client, uplink_mbps, downlink_mbps, latency_ms, "
            "gradients_per_second, availability; did you mean \"uplink_mbps\"?");
  EXPECT_EQ(says(replaced(kGood, "north", "nroth")),
            "FILE: row 3, column client: found \"nroth\", accepted: north, south, \"old\", 3; did you mean \"north\"?");
  EXPECT_EQ(says(replaced(kGood, "3,1,", "north,1,")),
            "FILE: row 3, column client: found \"north\" again, as in row 2, accepted: one row per client");
  EXPECT_EQ(says(kHeader + "\nnorth,5,6,7,8\n"),
            "FILE: found no row for client \"south, \"old\"\" and 1 others, accepted: one for each of the 3 clients");
  for (const char* bad : {"0", "-1", "inf", "1e300", "fast", "", "nan"})
    EXPECT_NE(
        says(replaced(kGood, "3,1,", std::string("3,") + bad + ",")).find("FILE: row 2, column uplink_mbps: found "),
        std::string::npos)
        << bad;
  EXPECT_EQ(says(kGood + "north\n"), "FILE: row 5: found 1 fields, accepted: 5");
}

TEST(NetworkTrace, AMissingFile) {
  EXPECT_NE(complaint([] { read_network_trace("/nowhere/t.csv", kClients); }).find("/nowhere/t.csv"),
            std::string::npos);
}

}  // namespace
}  // namespace pollen
