# What find_package(assay) brings:
#   assay::contract   what a library needs to be certified: <assay/subject.h> and DLPack's header
#   assay::assay      the program
#   assay_add_conformance_test(NAME name SUBJECT target-or-file
#                              [PROFILE profile] [TIER quick|full|deep] [ONLY glob])
# The folder may be moved: every path follows from this file's.
get_filename_component(_assay_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)

# A DLPack of the project's own or of the machine comes first; any version has the same DLTensor.
find_path(ASSAY_DLPACK_INCLUDE dlpack/dlpack.h)
mark_as_advanced(ASSAY_DLPACK_INCLUDE)
if(ASSAY_DLPACK_INCLUDE)
  set(_assay_dlpack "${ASSAY_DLPACK_INCLUDE}")
else()
  set(_assay_dlpack "${_assay_prefix}/include/assay")
endif()

if(NOT TARGET assay::contract)
  add_library(assay::contract INTERFACE IMPORTED)
  set_target_properties(assay::contract PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${_assay_prefix}/include;${_assay_dlpack}")
  add_executable(assay::assay IMPORTED)
  set_target_properties(assay::assay PROPERTIES IMPORTED_LOCATION "${_assay_prefix}/bin/assay")
endif()

# Registers a test that certifies a library: it passes iff the program says that the library
# conforms (exit status 0). The record is NAME.json in the current binary folder. PROFILE: default
# is what the library declares. ONLY: a glob over requirement ids and operation names.
function(assay_add_conformance_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;SUBJECT;PROFILE;TIER;ONLY" "")
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "assay_add_conformance_test: found '${arg_UNPARSED_ARGUMENTS}"
                        "${arg_KEYWORDS_MISSING_VALUES}', expected NAME, SUBJECT, PROFILE, TIER and "
                        "ONLY with one value each")
  endif()
  foreach(needed NAME SUBJECT)
    if(NOT arg_${needed})
      message(FATAL_ERROR "assay_add_conformance_test: ${needed} is missing")
    endif()
  endforeach()
  if(TARGET ${arg_SUBJECT})
    set(subject "$<TARGET_FILE:${arg_SUBJECT}>")
  else()
    get_filename_component(subject "${arg_SUBJECT}" ABSOLUTE)
  endif()
  set(options "")
  foreach(option PROFILE TIER ONLY)
    if(arg_${option})
      string(TOLOWER "--${option}" flag)
      list(APPEND options ${flag} "${arg_${option}}")
    endif()
  endforeach()
  add_test(NAME "${arg_NAME}" COMMAND assay::assay certify "${subject}" ${options}
           --out "${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.json")
endfunction()

unset(_assay_prefix)
unset(_assay_dlpack)
