# Writes OUT, a C++ file that holds the pages of the folder PAGES as bytes. BUILT names the pages that were built,
# separated by "+"; the other pages are empty.
cmake_minimum_required(VERSION 3.25)
string(REPLACE "+" ";" BUILT "${BUILT}")
set(text "#include \"report/web.h\"\n\nnamespace pollen::web {\n\n")
foreach(page report live)
  if(page IN_LIST BUILT)
    file(READ ${PAGES}/${page}.html hex HEX)
    string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
    string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
    string(APPEND text "namespace {\nconstexpr unsigned char k_${page}[] = {\n${bytes}0};\n}\n")
    string(APPEND text
      "std::string_view ${page}_page() { return {reinterpret_cast<const char*>(k_${page}), sizeof(k_${page}) - 1}; }\n\n")
  else()
    string(APPEND text "std::string_view ${page}_page() { return {}; }\n\n")
  endif()
endforeach()
file(WRITE ${OUT} "${text}}  // namespace pollen::web\n")
