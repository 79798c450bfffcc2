# SPDX-License-Identifier: Apache-2.0
"""MD5 of the frames of a test picture that went through the filters named."""
import hashlib
import sys

import av

LAYOUT = 'pix_fmts=yuv420p'


def main():
    graph = av.filter.Graph()
    chain = [graph.add('testsrc2', 'size=320x240:rate=25:duration=1'), graph.add('format', LAYOUT)]
    chain += [graph.add(name) for name in sys.argv[1:]]
    chain += [graph.add('format', LAYOUT), graph.add('buffersink')]
    for before, after in zip(chain, chain[1:]):
        before.link_to(after)
    graph.configure()
    for number in range(25):
        planes = b''.join(bytes(plane) for plane in chain[-1].pull().planes)
        print(number, len(planes), hashlib.md5(planes).hexdigest())


if __name__ == '__main__':
    main()
