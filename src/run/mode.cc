#include "mode.h"

#include <algorithm>
#include <cmath>
#include <deque>

#include "math/math.h"

namespace pollen {

namespace {

using Vec = std::vector<double>;

struct Point {
  Vec x, g;  // in the coordinates of the search
  Vec theta;
  double u = 0;
  double norm() const { return std::sqrt(math::squared_norm(g)); }
};

Point evaluate(const ModeProblem& problem, Vec x) {
  const Index d = problem.dimension;
  const auto view = [d](Vec& v) { return PanelView{v.data(), d, 1, d}; };
  Point p{std::move(x), Vec(static_cast<std::size_t>(d)), {}, 0};
  p.theta = p.x;
  if (problem.coordinates != nullptr) problem.coordinates->to_theta(view(p.x), view(p.theta));
  problem.transport.query({Query::What::value, view(p.theta), {}}, {&p.u, 1, 1, 1});
  p.u += problem.prior.value(p.theta);
  if (!std::isfinite(p.u)) {  // too far; gradients would not be numbers, which clients of a federation may not send
    std::ranges::fill(p.g, p.u);
    return p;
  }
  problem.transport.query({Query::What::gradient, view(p.theta), {}}, view(p.g));
  if (problem.prior_on_server) problem.prior.add_gradient(p.theta, 1.0, p.g);
  if (problem.hold_last) p.g.back() = 0;
  if (problem.coordinates == nullptr) return p;
  Vec pulled(p.g.size());
  problem.coordinates->pull_back(view(p.g), view(pulled));
  p.g = std::move(pulled);
  return p;
}

// The last steps of L-BFGS and the two-loop recursion (Nocedal and Wright, algorithm 7.4) that applies them.
class History {
 public:
  void add(const Point& from, const Point& to) {
    Pair pair{Vec(to.x.size()), Vec(to.x.size()), 0};
    math::subtract(to.x, from.x, pair.s);
    math::subtract(to.g, from.g, pair.y);
    const double sy = math::dot(pair.s, pair.y);
    if (!(sy > 1e-14 * math::squared_norm(pair.y))) return;
    pair.inverse = 1 / sy;
    pairs_.push_back(std::move(pair));
    if (pairs_.size() > 12) pairs_.pop_front();
  }
  void clear() { pairs_.clear(); }
  bool empty() const { return pairs_.empty(); }

  Vec direction(const Vec& g) const {
    Vec q = g;
    Vec a(pairs_.size());
    for (std::size_t i = pairs_.size(); i-- > 0;) {
      a[i] = pairs_[i].inverse * math::dot(pairs_[i].s, q);
      math::axpy(-a[i], pairs_[i].y, q);
    }
    if (!pairs_.empty()) math::scale(1 / (pairs_.back().inverse * math::squared_norm(pairs_.back().y)), q);
    for (std::size_t i = 0; i < pairs_.size(); ++i)
      math::axpy(a[i] - pairs_[i].inverse * math::dot(pairs_[i].y, q), pairs_[i].s, q);
    math::scale(-1, q);
    return q;
  }

 private:
  struct Pair {
    Vec s, y;
    double inverse;
  };
  std::deque<Pair> pairs_;
};

}  // namespace

ModeResult find_mode(const ModeProblem& problem, Vec start) {
  if (problem.coordinates != nullptr) problem.coordinates->to_psi(Vec(start), start);
  Point now = evaluate(problem, std::move(start));
  int exchanges = 1;
  History history;
  while (now.norm() > problem.tolerance && exchanges < problem.most_exchanges) {
    Vec direction = history.direction(now.g);
    double slope = math::dot(direction, now.g);
    if (!(slope < 0)) {
      history.clear();
      direction = history.direction(now.g);
      slope = -math::squared_norm(now.g);
    }
    // In coordinates that follow from the curvature, a whole step is Newton's.
    double step = history.empty() && problem.coordinates == nullptr ? std::min(1.0, 1 / now.norm()) : 1.0;
    Point next;
    bool better = false;
    for (int halving = 0; halving < 60 && exchanges < problem.most_exchanges; ++halving, step /= 2) {
      Vec x = now.x;
      math::axpy(step, direction, x);
      next = evaluate(problem, std::move(x));
      ++exchanges;
      // Near the mode a descent of U is lost in rounding; a smaller gradient is accepted instead.
      const double noise = 1e-13 * std::max(1.0, std::abs(now.u));
      better = next.u <= now.u + 1e-4 * step * slope || (next.u <= now.u + noise && next.norm() < now.norm());
      if (better) break;
    }
    if (!better && history.empty()) break;
    if (!better) {
      history.clear();
      continue;
    }
    history.add(now, next);
    now = std::move(next);
  }
  return {now.theta, now.norm(), exchanges, now.norm() <= problem.tolerance};
}

}  // namespace pollen
