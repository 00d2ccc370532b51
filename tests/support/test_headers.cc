// This program does nothing but own the precompiled headers of the tests, because a program's code is compiled with
// other flags than a library's.
int main() {}
