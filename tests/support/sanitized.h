// Tells whether this build has a sanitizer. A sanitizer keeps memory of its own, so the memory of the process is then
// not the program's.
#pragma once

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define POLLEN_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define POLLEN_SANITIZED 1
#endif
#endif
#ifndef POLLEN_SANITIZED
#define POLLEN_SANITIZED 0
#endif
