// What the oracles share: how a client's minibatches are drawn and weighted, and the rows of the table. Every oracle
// has a file of its own, which ends with its row; oracles.cc collects the rows. A Minibatches object is immutable.
#pragma once

#include "math/math.h"
#include "pollen/oracle.h"

namespace pollen::oracle {

// The rows of a client and its minibatches of n of them.
struct Minibatches {
  Minibatches(const Potential& of, Index batch)
      : potential(of), size{of.rows(), batch}, factor(static_cast<double>(size.rows) / static_cast<double>(batch)) {}

  // Calls evaluate(c, rows, column) for the minibatch of every chain c, where column is out(:, c), and multiplies what
  // it leaves there by N/n.
  template <class Evaluate>
  void each(const OracleInput& input, const PanelView& out, Workspace& work, const Evaluate& evaluate) const {
    for (Index c = 0; c < out.columns; ++c) {
      const auto column = out.column(c);
      evaluate(c, draw(input, c, work), column);
      math::scale(factor, column);
    }
  }
  std::span<const std::uint32_t> draw(const OracleInput& input, Index c, Workspace& work) const {
    const std::uint32_t chain = input.chains[static_cast<std::size_t>(c)];
    draw_minibatch(input.minibatch[chain], input.round, input.client, size, work.rows);
    return work.rows;
  }
  bool all() const { return size.batch == size.rows; }

  const Potential& potential;
  BatchSize size;
  double factor;  // N/n
};

std::unique_ptr<Oracle> make_full(const Potential& potential);

}  // namespace pollen::oracle
