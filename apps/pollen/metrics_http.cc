// The HTTP side of --metrics: cpp-httplib serves the text that prometheus-cpp writes.
#include <fmt/format.h>
#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include "http/guard.h"
#include "http/listener.h"
#include "monitor.h"

namespace pollen::app {

namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;

MetricFamily family(const std::string& name, const std::string& help, MetricType type) {
  MetricFamily out;
  out.name = fmt::format("pollen_{}", name);
  out.help = help;
  out.type = type;
  out.metric.resize(1);
  return out;
}

MetricFamily counter(const std::string& name, const std::string& help, double value) {
  MetricFamily out = family(name, help, MetricType::Counter);
  out.metric[0].counter.value = value;
  return out;
}
MetricFamily counter(const std::string& name, const std::string& help, std::int64_t value) {
  return counter(name, help, static_cast<double>(value));
}

MetricFamily gauge(const std::string& name, const std::string& help, double value) {
  MetricFamily out = family(name, help, MetricType::Gauge);
  out.metric[0].gauge.value = value;
  return out;
}

MetricFamily latencies(const View& view) {
  MetricFamily out = family("reply_seconds", "From a broadcast to a reply, the latest few thousand", MetricType::Gauge);
  out.metric.resize(view.latency.size());
  for (std::size_t i = 0; i < view.latency.size(); ++i) {
    out.metric[i].label.push_back({"quantile", fmt::format("{}", View::kQuantiles[i])});
    out.metric[i].gauge.value = view.latency[i];
  }
  return out;
}

std::string metrics_text(const View& v) {
  return prometheus::TextSerializer().Serialize(
      {counter("rounds_total", "Rounds done", v.round), counter("iterations_total", "Iterations done", v.iteration),
       gauge("iterations_asked", "Iterations asked for", static_cast<double>(v.iterations)),
       gauge("participants", "Clients counted in the latest exchange", static_cast<double>(v.participants)),
       gauge("clients_here", "Clients connected and ready", static_cast<double>(v.here)),
       gauge("clients_expected", "Clients of the federation", static_cast<double>(v.expected)),
       counter("received_bytes_total", "Bytes of frames from clients", v.bytes_in),
       counter("sent_bytes_total", "Bytes of frames to clients", v.bytes_out),
       counter("repeated_broadcasts_total", "Broadcasts sent again to a client that came back", v.repeated),
       counter("brought_up_total", "Times a client was sent what it had missed", v.brought_up),
       counter("skipped_total", "Times a client was left out of a round it was drawn for", v.skipped), latencies(v),
       counter("waiting_seconds_total",
               "Seconds in which the server waited for messages of clients, since this process "
               "began its first round",
               v.waited),
       gauge("waiting_share", "The share of the time since then", v.waiting_share),
       gauge("rhat_worst", "The worst R-hat so far; NaN before there are draws enough", v.rhat),
       gauge("draws_kept", "Draws kept per chain", static_cast<double>(v.draws))});
}

class HttpServer final : public MetricsServer {
 public:
  HttpServer(std::string host, int port, const Monitor& monitor) : listener_({.connections = 2}) {
    if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
    using Handled = httplib::Server::HandlerResponse;
    listener_.set_pre_routing_handler([host](const httplib::Request& request, httplib::Response& response) {
      if (http::names_this_machine(request.get_header_value("Host"), host)) return Handled::Unhandled;
      response.status = 403;
      response.set_content("This address is reached by the name or an IP address of this machine only.\n",
                           "text/plain");
      return Handled::Handled;
    });
    listener_.Get("/metrics", [&monitor](const httplib::Request&, httplib::Response& response) {
      response.set_content(metrics_text(monitor.view()), "text/plain; version=0.0.4; charset=utf-8");
    });
    listener_.Get("/healthz", [&monitor](const httplib::Request&, httplib::Response& response) {
      const View view = monitor.view();
      const bool healthy = is_healthy(view, View::Clock::now());
      response.status = healthy ? 200 : 503;
      response.set_content(health_text(view, healthy), "application/json");
    });
    listener_.start("--metrics", host, port);
  }
  int port() const override { return listener_.port(); }

 private:
  http::Listener listener_;
};

}  // namespace

std::unique_ptr<MetricsServer> serve_metrics(const std::string& host, int port, const Monitor& monitor) {
  return std::make_unique<HttpServer>(host, port, monitor);
}

}  // namespace pollen::app
