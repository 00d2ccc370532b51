#include "oracle/oracles.h"

#include "minibatches.h"

namespace pollen {

void draw_minibatch(Stream chain, std::uint64_t round, std::uint32_t client, BatchSize size,
                    std::vector<std::uint32_t>& out) {
  chain.round = round;
  chain.client = client;
  Sequence sequence(chain);
  sample_without_replacement(sequence, static_cast<std::uint32_t>(size.rows), static_cast<std::uint32_t>(size.batch),
                             out);
}

void Oracle::set_anchor(std::span<const double>, std::span<const double>) {}

namespace oracle {

OracleRow full_row();
OracleRow minibatch_row();
OracleRow fixed_point_row();
OracleRow svrg_row();
OracleRow control_row();

}  // namespace oracle

namespace {

Registry<OracleRow>& oracle_table() {
  using namespace oracle;
  static Registry<OracleRow> rows("sampler.oracle",
                                  {full_row(), minibatch_row(), fixed_point_row(), svrg_row(), control_row()});
  return rows;
}

}  // namespace

const Registry<OracleRow>& oracles() { return oracle_table(); }

void register_oracle(OracleRow row) { oracle_table().add(std::move(row)); }

std::unique_ptr<Oracle> make_oracle(const std::string& name, const Potential& potential, Index batch, Index chains) {
  return oracles().at(name).make(potential, batch, chains);
}

}  // namespace pollen
