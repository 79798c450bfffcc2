# SPDX-License-Identifier: Apache-2.0
"""The newest version of CUDA in the registry, for the mock and for messages: not for the loader."""

from prototypes import HEAD
from rows import version_text

SHAPE = '''
#ifndef CUSHIM_LOADER_VERSIONS_H
#define CUSHIM_LOADER_VERSIONS_H

/* The newest version of CUDA that the registry has. */
#define CUSHIM__NEWEST_VERSION %d
#define CUSHIM__NEWEST_VERSION_TEXT "%s"

#endif
'''


def emit_versions(newest):
    return HEAD + SHAPE % (newest, version_text(newest))
