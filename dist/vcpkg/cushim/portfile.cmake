# SPDX-License-Identifier: Apache-2.0
# vcpkg install cushim --overlay-ports=CLONE/dist/vcpkg: of the clone that this file is in. It needs
# the CUDA headers: CUDA_HOME and CUDA_PATH are handed on by VCPKG_KEEP_ENV_VARS, or those of
# /usr/local/cuda are taken.
get_filename_component(SOURCE_PATH "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
vcpkg_configure_meson(
    SOURCE_PATH "${SOURCE_PATH}"
    OPTIONS -Dtests=disabled -Dtool=disabled -Ddocs=disabled -Dzstd=disabled)
vcpkg_install_meson()
vcpkg_fixup_pkgconfig()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/cushim)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
