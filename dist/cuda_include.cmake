# SPDX-License-Identifier: Apache-2.0
# The folder of cuda.h is CUSHIM_CUDA_INCLUDE_DIR. If it is not set, it is that of
# find_package(CUDAToolkit), where the project has called that, of CUDA_HOME or CUDA_PATH, what
# find_package(CUDAToolkit) finds, or that of /usr/local/cuda.
find_path(CUSHIM_CUDA_INCLUDE_DIR cuda.h
  HINTS ${CUDAToolkit_INCLUDE_DIRS} "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include")
if(NOT CUSHIM_CUDA_INCLUDE_DIR)
  find_package(CUDAToolkit QUIET)
  find_path(CUSHIM_CUDA_INCLUDE_DIR cuda.h
    HINTS ${CUDAToolkit_INCLUDE_DIRS} PATHS /usr/local/cuda/include REQUIRED)
endif()
if(NOT EXISTS "${CUSHIM_CUDA_INCLUDE_DIR}/cuda.h")
  message(FATAL_ERROR "CUSHIM_CUDA_INCLUDE_DIR is ${CUSHIM_CUDA_INCLUDE_DIR}, which has no cuda.h")
endif()
