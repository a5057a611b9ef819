# Fails if RECORD is not of the sources whose digest SOURCES (source_digest.cmake) holds: a change of
# the kernels lands together with a renewed record.
file(READ "${RECORD}" record)
string(JSON recorded GET "${record}" subject sources)
file(STRINGS "${SOURCES}" built)
string(REGEX REPLACE " .*" "" recorded_code "${recorded}")
string(REGEX REPLACE " .*" "" built_code "${built}")
if(NOT recorded_code STREQUAL built_code)
  message(FATAL_ERROR "${RECORD}: of the kernels' sources ${recorded}, found ${built}. Certify the "
                      "subject again on a device (docs/reports/README.md).")
endif()
if(NOT recorded STREQUAL built)
  message(STATUS "The record is of a build by ${recorded}, this one is ${built}")
endif()
