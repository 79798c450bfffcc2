#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What `cushim time` shows on a terminal while it works."""

import os
import pty
import subprocess
import time
import unittest

from harness import COMMAND, DONE, ToolTest, environment, fake


class Progress(ToolTest):

    def run_on_terminal(self, **settings):
        """Run it with a terminal as standard error. Returns status and what the terminal got."""
        main, terminal = pty.openpty()
        arguments = [*COMMAND, 'time', '--repeat', '30', '--library', fake(13000)]
        with subprocess.Popen(arguments, env=environment(settings), stdout=subprocess.DEVNULL,
                              stderr=terminal) as process:
            os.close(terminal)
            shown = b''
            try:
                while piece := os.read(main, 4096):
                    shown += piece
            except OSError:  # how Linux tells that the other side is closed
                pass
        os.close(main)
        return process.returncode, shown.decode('ascii')

    def test_shown_in_a_long_run_and_erased(self):
        status, shown = self.run_on_terminal(FAKE_ROUND_MS=45)
        self.assertEqual(status, DONE)
        self.assertRegex(shown, r'\A(\rround \d+ of 30 \(\d+ %\))+\r +\r\Z')

    def test_not_shown_in_the_first_second(self):
        begin = time.monotonic()
        status, shown = self.run_on_terminal()
        self.assertEqual(status, DONE)
        # A machine on which the run takes longer may show it.
        if time.monotonic() - begin < 1:
            self.assertEqual(shown, '')


if __name__ == '__main__':
    unittest.main()
