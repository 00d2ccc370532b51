// Connections by themselves: frames of any size arrive whole and in order, too long ones are refused, and no call waits
// for a peer that is gone or after the user wants to stop.
#include "grpc/wires.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "federation.grpc.pb.h"

namespace pollen {
namespace {

class Wires : public ::testing::Test {
 protected:
  std::optional<LinkEvent> next() { return server_->links().next(Deadline::clock::now() + std::chrono::seconds(60)); }
  // Returns the link of the next event, which must be of this kind.
  std::uint64_t expect(LinkEvent::What what) {
    const auto event = next();
    EXPECT_TRUE(event && event->what == what);
    return event ? event->link : 0;
  }

  std::unique_ptr<WireServer> server_ = listen_at("127.0.0.1:0", {});
  const std::string address_ = fmt::format("127.0.0.1:{}", server_->port());
};

Bytes made_up_frame(std::size_t size, std::size_t number) {
  Bytes frame(size);
  for (std::size_t i = 0; i < size; ++i) frame[i] = static_cast<std::uint8_t>(i * 7 + number);
  return frame;
}

// Sends frames from one byte to several pieces of 1 MiB and compares what comes back.
int echoed(const std::string& address, std::size_t first) {
  WireClient wire(address, {}, nullptr);
  if (!wire.connect(30)) return 0;
  int same = 0;
  Bytes back;
  for (const std::size_t size : {std::size_t{1}, std::size_t{1000}, std::size_t{1} << 20, (std::size_t{5} << 19) + 3}) {
    const Bytes frame = made_up_frame(size, first++);
    if (wire.write(frame) && wire.read(back, std::size_t{4} << 20) && back == frame) ++same;
  }
  return same;
}

TEST_F(Wires, FramesOfAnySizeComeBack) {
  std::vector<int> same(3);
  std::vector<std::jthread> clients;
  for (std::size_t i = 0; i < same.size(); ++i) clients.emplace_back([&, i] { same[i] = echoed(address_, 10 * i); });
  for (std::size_t closed = 0; closed < same.size();) {
    const auto event = next();
    ASSERT_TRUE(event);
    if (event->what == LinkEvent::What::closed) ++closed;
    if (event->what == LinkEvent::What::frame)
      server_->links().send(event->link, std::make_shared<const Bytes>(event->frame));
  }
  clients.clear();
  EXPECT_EQ(same, (std::vector<int>{4, 4, 4}));
}

TEST_F(Wires, ALongerFrameEndsItsConnection) {
  server_->links().limit_frames(1000);
  std::jthread client([&] {
    WireClient wire(address_, {}, nullptr);
    EXPECT_TRUE(wire.connect(30));
    Bytes frame = made_up_frame(1001, 0);
    wire.write(frame);
    EXPECT_FALSE(wire.read(frame, 1000));
  });
  const std::uint64_t link = expect(LinkEvent::What::opened);
  EXPECT_EQ(expect(LinkEvent::What::closed), link);
}

// Connects and sends a first frame of this size, which the server must not take.
void send_too_long_a_hello(const std::string& address, std::size_t size) {
  WireClient wire(address, {}, nullptr);
  EXPECT_TRUE(wire.connect(30));
  Bytes frame = made_up_frame(size, 0);
  wire.write(frame);
  EXPECT_FALSE(wire.read(frame, 1000));
}

TEST_F(Wires, AHelloHasAtMostOneMebibyte) {
  std::jthread client([&] { send_too_long_a_hello(address_, (std::size_t{1} << 20) + 1); });
  const std::uint64_t link = expect(LinkEvent::What::opened);
  EXPECT_EQ(expect(LinkEvent::What::closed), link);
}

// Whoever is closed when its stream opens is not read, but it is told what it was sent.
TEST_F(Wires, AConnectionThatIsClosedAtOnceIsNeverRead) {
  std::jthread client([&] {
    WireClient wire(address_, {}, nullptr);
    EXPECT_TRUE(wire.connect(30));
    wire.write(made_up_frame(std::size_t{1} << 20, 0));
    Bytes frame;
    EXPECT_TRUE(wire.read(frame, 1000));
    EXPECT_EQ(frame, made_up_frame(10, 3));
  });
  const std::uint64_t link = expect(LinkEvent::What::opened);
  server_->links().send(link, std::make_shared<const Bytes>(made_up_frame(10, 3)));
  server_->links().close(link);
  EXPECT_EQ(expect(LinkEvent::What::closed), link);
}

// One connection has at most four streams at a time, also if it asks for more before it knows the limit.
TEST_F(Wires, AConnectionHasFewStreams) {
  const auto stub = v1::Federation::NewStub(grpc::CreateChannel(address_, grpc::InsecureChannelCredentials()));
  std::atomic<int> ended = 0;
  std::vector<std::jthread> clients;
  for (int i = 0; i < 12; ++i)
    clients.emplace_back([&] {
      grpc::ClientContext call;
      stub->Join(&call)->Finish();
      ++ended;
    });
  std::set<std::uint64_t> open;
  while (ended < 12) {
    const auto event = server_->links().next(Deadline::clock::now() + std::chrono::milliseconds(100));
    if (event && event->what == LinkEvent::What::opened) open.insert(event->link);
    if (event && event->what == LinkEvent::What::closed) open.erase(event->link);
    EXPECT_LE(open.size(), 4U);
    if (open.size() >= 4 || !event)
      for (const std::uint64_t link : open) server_->links().close(link);
  }
}

// A certificate is good for a connection, but one that asks for nothing must not keep others out.
TEST(Idle, AConnectionWithoutAStreamIsClosed) {
  const auto server = listen_at("127.0.0.1:0", {}, {.idle = std::chrono::milliseconds(200)});
  const auto channel =
      grpc::CreateChannel(fmt::format("127.0.0.1:{}", server->port()), grpc::InsecureChannelCredentials());
  const auto patience = std::chrono::system_clock::now() + std::chrono::seconds(60);
  ASSERT_TRUE(channel->WaitForConnected(patience));
  EXPECT_TRUE(channel->WaitForStateChange(GRPC_CHANNEL_READY, patience));
}

TEST_F(Wires, TheServerEndsAConnectionAfterItsLastFrame) {
  std::jthread client([&] {
    WireClient wire(address_, {}, nullptr);
    EXPECT_TRUE(wire.connect(30));
    Bytes frame;
    EXPECT_TRUE(wire.read(frame, 1000));
    EXPECT_EQ(frame, made_up_frame(1000, 5));
    EXPECT_FALSE(wire.read(frame, 1000));
    EXPECT_EQ(wire.why(), "the server hung up");
  });
  const std::uint64_t link = expect(LinkEvent::What::opened);
  server_->links().send(link, std::make_shared<const Bytes>(made_up_frame(1000, 5)));
  server_->links().close(link);
  EXPECT_EQ(expect(LinkEvent::What::closed), link);
}

TEST_F(Wires, AServerThatGoesEndsItsConnections) {
  std::vector<std::jthread> clients;
  for (int i = 0; i < 3; ++i)
    clients.emplace_back([&] {
      WireClient wire(address_, {}, nullptr);
      EXPECT_TRUE(wire.connect(30));
      Bytes frame;
      EXPECT_FALSE(wire.read(frame, 1000));
      EXPECT_NE(wire.why(), "");
    });
  for (int i = 0; i < 3; ++i) expect(LinkEvent::What::opened);
  server_.reset();
}

TEST_F(Wires, AClientThatWantsToStopWaitsForNobody) {
  std::atomic<bool> stop = false;
  std::jthread client([&] {
    WireClient wire(address_, {}, &stop);
    EXPECT_TRUE(wire.connect(30));
    Bytes frame;
    EXPECT_FALSE(wire.read(frame, 1000));
  });
  const std::uint64_t link = expect(LinkEvent::What::opened);
  stop = true;
  EXPECT_EQ(expect(LinkEvent::What::closed), link);
}

}  // namespace
}  // namespace pollen
