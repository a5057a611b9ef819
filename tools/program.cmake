# The program, its GoogleTest front end, and the tests that run the built program.
find_package(Git QUIET)
set(commit unknown)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} rev-parse --short=12 HEAD
                  OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(head)
    set(commit ${head})
  endif()
endif()
set_source_files_properties(${PROJECT_SOURCE_DIR}/conformance/version.cc
  TARGET_DIRECTORY assay_conformance PROPERTIES COMPILE_DEFINITIONS ASSAY_COMMIT="${commit}")

add_executable(assay_program
  assay.cc bench.cc bench_subjects.cc bench_tasks.cc budget_use.cc certify.cc check.cc compare.cc decided.cc distances.cc
  kill_map.cc
  list.cc list_markdown.cc merge.cc null_runs.cc replay.cc report.cc selftest.cc worker_command.cc)
set_target_properties(assay_program PROPERTIES OUTPUT_NAME assay)
target_link_libraries(assay_program PRIVATE assay_conformance assay_faults assay_flags
                                            assay_compiles_fast CLI11::CLI11 nlohmann_json::nlohmann_json
                                            Threads::Threads)
add_dependencies(assay_program assay_subject_host assay_subject_reference assay_subject_variants
                 assay_subject_faults)
if(TARGET assay_gpu)
  add_dependencies(assay_program assay_subject_cuda assay_subject_cuda_faults
                   assay_subject_cuda_variants)
endif()
install(TARGETS assay_program DESTINATION bin)

add_executable(assay_conformance_tests conformance_tests.cc)
target_precompile_headers(assay_conformance_tests PRIVATE <gtest/gtest.h>)
target_link_libraries(assay_conformance_tests PRIVATE assay_conformance assay_flags GTest::gtest
                                                      Threads::Threads)
add_dependencies(assay_conformance_tests assay_subject_host)

# Never installed: it is there to test the isolation of workers.
add_library(assay_hostile MODULE ${PROJECT_SOURCE_DIR}/conformance/subjects/hostile/hostile.cc)
set_target_properties(assay_hostile PROPERTIES PREFIX "" OUTPUT_NAME hostile
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)
target_link_libraries(assay_hostile PRIVATE assay_contract assay_flags)
add_library(assay_no_entry MODULE ${PROJECT_SOURCE_DIR}/conformance/subjects/hostile/no_entry.cc)
set_target_properties(assay_no_entry PROPERTIES PREFIX "" OUTPUT_NAME no_entry
  LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/test)

add_executable(assay_program_tests program_test.cc report_test.cc runs_test.cc)
target_precompile_headers(assay_program_tests PRIVATE <gtest/gtest.h>)
target_compile_definitions(assay_program_tests PRIVATE
  ASSAY_PROGRAM="$<TARGET_FILE:assay_program>" ASSAY_HOSTILE="$<TARGET_FILE:assay_hostile>"
  ASSAY_NO_ENTRY="$<TARGET_FILE:assay_no_entry>"
  ASSAY_CONFORMANCE_TESTS="$<TARGET_FILE:assay_conformance_tests>")
target_link_libraries(assay_program_tests PRIVATE assay_flags assay_compiles_fast nlohmann_json::nlohmann_json
                                                  GTest::gtest_main Threads::Threads)
add_dependencies(assay_program_tests assay_program assay_conformance_tests assay_hostile assay_no_entry)
gtest_discover_tests(assay_program_tests DISCOVERY_TIMEOUT 60)

# The program on its own subjects: what conforms, what is refused, and by which clauses. One worker
# each, the long ones first: side by side they keep cores busier than two workers in turn. `cost`:
# about its seconds.
function(assay_add_program_test name cost)
  add_test(NAME ${name} COMMAND assay_program ${ARGN} --jobs 1)
  set_tests_properties(${name} PROPERTIES COST ${cost} TIMEOUT 1800)
endfunction()
assay_add_program_test(certify_host_strict 70 certify host --profile strict
                       --out ${PROJECT_BINARY_DIR}/host-strict.json)
assay_add_program_test(certify_host_flashinfer 30 certify host --profile flashinfer --dtype f32
                       --out ${PROJECT_BINARY_DIR}/host-flashinfer.json)
assay_add_program_test(certify_reference_strict 30 certify reference --dtype f32
                       --out ${PROJECT_BINARY_DIR}/reference-strict.json)
assay_add_program_test(selftest_faults_a_to_m 250 selftest --brief --faults --only "[a-m]*")
assay_add_program_test(selftest_faults_n_to_z 300 selftest --brief --faults --only "[n-z]*")
assay_add_program_test(selftest_variants 90 selftest --brief --variants)

# Small defects are refused after as many draws as docs/trial.md says.
add_test(NAME distances_are_refused COMMAND ${PROJECT_SOURCE_DIR}/tools/trial.py
  --assay $<TARGET_FILE:assay_program>)
set_tests_properties(distances_are_refused PROPERTIES COST 120 TIMEOUT 1800)

set_tests_properties(certify_host_strict PROPERTIES FIXTURES_SETUP host_record)
add_test(NAME readme_is_fresh COMMAND ${PROJECT_SOURCE_DIR}/tools/readme.py
  --assay $<TARGET_FILE:assay_program> --record ${PROJECT_BINARY_DIR}/host-strict.json)
set_tests_properties(readme_is_fresh PROPERTIES FIXTURES_REQUIRED host_record)
add_test(NAME docs_are_fresh COMMAND ${PROJECT_SOURCE_DIR}/tools/docs.py
  --assay $<TARGET_FILE:assay_program>)

# The committed record of `cuda` is of these kernels.
if(TARGET assay_subject_cuda AND EXISTS ${PROJECT_SOURCE_DIR}/docs/reports/cuda-h200.json)
  add_test(NAME cuda_record_is_fresh COMMAND ${CMAKE_COMMAND}
    -DRECORD=${PROJECT_SOURCE_DIR}/docs/reports/cuda-h200.json
    -DSOURCES=${PROJECT_BINARY_DIR}/conformance/cuda_sources.txt
    -P ${PROJECT_SOURCE_DIR}/tools/check_sources.cmake)
endif()

add_test(NAME html_report_in_a_browser COMMAND ${PROJECT_SOURCE_DIR}/tools/browser_test.py
  --assay $<TARGET_FILE:assay_program>)
set_tests_properties(html_report_in_a_browser PROPERTIES SKIP_RETURN_CODE 77 TIMEOUT 300 PROCESSORS 2)
# Where NumPy and PyTorch are installed: their answers on the benchmark's rows equal the reference's.
add_test(NAME reference_equals_numpy COMMAND ${PROJECT_SOURCE_DIR}/tools/bench_reference.py
  --assay $<TARGET_FILE:assay_program> --repetitions 1)
set_tests_properties(reference_equals_numpy PROPERTIES SKIP_REGULAR_EXPRESSION "^skipped: "
                                                       PROCESSORS 2 TIMEOUT 300)
# Mutants excused as equivalent still have their places; where libclang is installed, a file's
# mutants still compile.
set(mutate ${PROJECT_SOURCE_DIR}/tools/mutants/mutate.py)
add_test(NAME mutants_have_places COMMAND ${mutate} --check)
add_test(NAME mutants_compile COMMAND ${mutate} --to ${PROJECT_BINARY_DIR}/mutants_test --count 12
  --compiler ${CMAKE_CXX_COMPILER} --files conformance/subjects/host/keep.cc)
set_tests_properties(mutants_compile PROPERTIES SKIP_RETURN_CODE 77)
