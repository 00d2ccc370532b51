// One row per format of files, each in the source file of its name.
#pragma once

#include "data/registries.h"
#include "raw_table.h"

namespace pollen::data {

DataFormat csv_format();
DataFormat libsvm_format();
DataFormat idx_format();
DataFormat cifar_format();

}  // namespace pollen::data
