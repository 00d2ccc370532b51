// A library that is not the module.
extern "C" int other_library() { return 1; }
