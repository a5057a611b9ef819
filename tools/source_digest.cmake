# Writes TO.txt, and TO.cc with the same text as assay::cuda::kSources: one digest of SOURCES
# without their comments and spacing, then WITH, what they are compiled by.
set(code "")
foreach(source IN LISTS SOURCES)
  file(READ "${source}" text)
  string(REGEX REPLACE "/\\*([^*]|\\*+[^*/])*\\*+/" "" text "${text}")
  string(REGEX REPLACE "//[^\n]*" "" text "${text}")
  string(REGEX REPLACE "[ \t\r\n]+" " " text "${text}")
  cmake_path(GET source FILENAME name)
  string(APPEND code "${name}:${text}\n")
endforeach()
string(SHA256 digest "${code}")
string(SUBSTRING ${digest} 0 16 digest)
file(CONFIGURE OUTPUT ${TO}.txt CONTENT "${digest} ${WITH}\n")
file(CONFIGURE OUTPUT ${TO}.cc CONTENT
  "namespace assay::cuda {\nextern const char* const kSources;\nconst char* const kSources = \"${digest} ${WITH}\";\n}\n")
