// Random numbers that nobody can guess, from the kernel's generator. Thread-safe.
#pragma once

#include <cstdint>
#include <string>

namespace pollen {

std::uint64_t secret_number();
std::string secret_name();  // 32 hexadecimal digits

}  // namespace pollen
