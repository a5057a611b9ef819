# Subjects made of installed Python packages: README.md. `package` is the folder of one; `out` becomes
# its version, empty where the folder is not given.
function(assay_peer_version package name out)
  set(${package} "" CACHE PATH "Folder of the Python package ${name}, to build its peer")
  set(${out} "" PARENT_SCOPE)
  if(NOT ${package})
    message(STATUS "No ${package}: no peer is built of ${name}")
    return()
  endif()
  file(GLOB version ${${package}}/../${name}*.dist-info)
  string(REGEX REPLACE ".*-(.*)\\.dist-info" "\\1" version "${version}")
  set(${out} "${version}" PARENT_SCOPE)
endfunction()

function(assay_add_peer name version source)
  file(GLOB calls CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/subjects/calls/*.cc)
  add_library(assay_peer_${name} MODULE EXCLUDE_FROM_ALL subjects/peers/${source} ${calls})
  set_target_properties(assay_peer_${name} PROPERTIES
    PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/peers
    CUDA_RUNTIME_LIBRARY Static CUDA_STANDARD_REQUIRED OFF CXX_VISIBILITY_PRESET hidden)
  target_include_directories(assay_peer_${name} PRIVATE ${PROJECT_SOURCE_DIR})
  target_compile_definitions(assay_peer_${name} PRIVATE ASSAY_PEER_VERSION="${version}")
  target_link_libraries(assay_peer_${name} PRIVATE assay_contract)
endfunction()

assay_peer_version(ASSAY_FLASHINFER flashinfer version)
if(version)
  # Its chain's draft rows and ids, with the contract's stride: flashinfer.cu.
  file(READ ${ASSAY_FLASHINFER}/data/include/flashinfer/sampling.cuh header)
  string(REPLACE "#include \"" "#include \"flashinfer/" header "${header}")
  string(REPLACE "row_idx * num_speculative_tokens + " "row_idx * (num_speculative_tokens + 1) + "
                 made_header "${header}")
  if(made_header STREQUAL header)
    message(FATAL_ERROR "${ASSAY_FLASHINFER}: its chain has no index that is known here")
  endif()
  set(peer_header ${CMAKE_CURRENT_BINARY_DIR}/flashinfer_sampling.cuh)
  file(CONFIGURE OUTPUT ${peer_header} CONTENT "${made_header}" @ONLY)
  assay_add_peer(flashinfer ${version} flashinfer.cu)
  target_compile_definitions(assay_peer_flashinfer PRIVATE ASSAY_PEER_HEADER="${peer_header}")
  target_include_directories(assay_peer_flashinfer SYSTEM PRIVATE ${ASSAY_FLASHINFER}/data/include)
  target_compile_options(assay_peer_flashinfer PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -w>)
  target_link_libraries(assay_peer_flashinfer PRIVATE CUDA::cudart_static)
endif()

assay_peer_version(ASSAY_XGRAMMAR xgrammar version)
if(version)
  # Its kernel and dispatch; not its includes, nor the binding to PyTorch at its end.
  file(READ ${ASSAY_XGRAMMAR}/kernels/apply_token_bitmask_inplace_cuda.cu source)
  string(REGEX REPLACE "#include [^\n]*\n" "" source "${source}")
  string(REPLACE "at::cuda::getCurrentCUDAStream().stream()" "current_stream" source "${source}")
  string(FIND "${source}" "void ApplyTokenBitmaskInplace(\n" binding)
  if(binding EQUAL -1)
    message(FATAL_ERROR "${ASSAY_XGRAMMAR}: its mask kernel has no binding that is known here")
  endif()
  string(SUBSTRING "${source}" 0 ${binding} source)
  set(peer_source ${CMAKE_CURRENT_BINARY_DIR}/xgrammar_mask.cuh)
  file(CONFIGURE OUTPUT ${peer_source} CONTENT "${source}" @ONLY)
  assay_add_peer(xgrammar ${version} xgrammar.cu)
  target_compile_definitions(assay_peer_xgrammar PRIVATE ASSAY_PEER_SOURCE="${peer_source}")
  target_compile_options(assay_peer_xgrammar PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -w>)
  target_link_libraries(assay_peer_xgrammar PRIVATE CUDA::cudart_static)
endif()

assay_peer_version(ASSAY_TORCH torch version)
if(version)
  assay_add_peer(torch ${version} torch.cc)
  target_include_directories(assay_peer_torch SYSTEM PRIVATE ${ASSAY_TORCH}/include)
  target_compile_options(assay_peer_torch PRIVATE -w)
  # The package's own libraries need others, which its Python module finds.
  target_link_options(assay_peer_torch PRIVATE -Wl,--allow-shlib-undefined)
  target_link_libraries(assay_peer_torch PRIVATE ${ASSAY_TORCH}/lib/libtorch.so
    ${ASSAY_TORCH}/lib/libtorch_cpu.so ${ASSAY_TORCH}/lib/libtorch_cuda.so
    ${ASSAY_TORCH}/lib/libc10.so ${ASSAY_TORCH}/lib/libc10_cuda.so CUDA::cudart_static)
endif()

assay_peer_version(ASSAY_TOKENSPEED tokenspeed_kernel version)
if(version)
  assay_peer_version(ASSAY_TVM_FFI apache_tvm_ffi tvm_ffi_version)
endif()
if(version AND tvm_ffi_version)
  # Nothing is linked: its compiled kernels, and TVM-FFI that they call, are opened by a call.
  assay_add_peer(tokenspeed ${version} tokenspeed.cu)
  target_compile_definitions(assay_peer_tokenspeed PRIVATE
    ASSAY_PEER_KERNELS="${ASSAY_TOKENSPEED}/thirdparty/cuda/objs"
    ASSAY_PEER_TVM_FFI="${ASSAY_TVM_FFI}")
  target_include_directories(assay_peer_tokenspeed SYSTEM PRIVATE ${ASSAY_TVM_FFI}/include)
  target_compile_options(assay_peer_tokenspeed PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 -w>)
  target_link_libraries(assay_peer_tokenspeed PRIVATE CUDA::cudart_static ${CMAKE_DL_LIBS})
endif()
