#include "readers.h"
#include "store_layout.h"

namespace pollen {

const Registry<DataFormat>& data_formats() {
  static const Registry<DataFormat> rows(
      "data.format", {data::csv_format(),
                      data::libsvm_format(),
                      data::idx_format(),
                      data::cifar_format(),
                      {data::kStoreFormat, "a store that pollen convert made: ready to use, mapped into memory", "",
                       [](const auto& name) { return name.ends_with(".pollen"); }}});
  return rows;
}

}  // namespace pollen
