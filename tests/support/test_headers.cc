// The precompiled headers of the tests belong to a program, because a program's code is compiled with other flags than a
// library's. It does nothing.
int main() {}
