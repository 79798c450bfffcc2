# SPDX-License-Identifier: Apache-2.0
"""Headless Chromium, controlled through the DevTools protocol over pipes."""

import fcntl
import json
import os
import shutil
import subprocess
import sys
import tempfile

NAMES = ('chromium', 'chromium-browser', 'google-chrome')

# The browser reads from descriptor 3 and writes to 4.
START = '''
import os, sys
os.dup2(int(sys.argv[1]), 3)
os.dup2(int(sys.argv[2]), 4)
os.execv(sys.argv[3], sys.argv[3:])
'''


def find():
    return next(filter(None, map(shutil.which, NAMES)), None)


class Browser:
    """A page. Messages that are not responses to calls are kept in `events`."""

    def __init__(self, width=1400, height=900):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        self.events = []
        self.number = 0
        self.buffer = b''
        theirs_in, ours_out = self.pipe()
        ours_in, theirs_out = self.pipe()
        self.process = subprocess.Popen(
            [sys.executable, '-c', START, str(theirs_in), str(theirs_out), find(),
             '--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage',
             '--no-first-run', '--disable-background-networking', '--remote-debugging-pipe',
             '--user-data-dir=' + self.profile.name, 'about:blank'],
            pass_fds=(theirs_in, theirs_out), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.read, self.write = ours_in, ours_out
        self.session = None
        target = next(one for one in self.call('Target.getTargets')['targetInfos']
                      if one['type'] == 'page')
        self.session = self.call('Target.attachToTarget', targetId=target['targetId'],
                                 flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.call(domain + '.enable')
        self.call('Emulation.setDeviceMetricsOverride', width=width, height=height,
                  deviceScaleFactor=1, mobile=False)

    @staticmethod
    def pipe():
        """Return a pipe whose descriptors are above those that START sets."""
        ends = os.pipe()
        moved = [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
        for end in ends:
            os.close(end)
        return moved

    def close(self):
        """End the browser by closing its pipe."""
        os.close(self.write)
        os.close(self.read)
        self.process.wait()
        self.profile.cleanup()

    def receive(self):
        while b'\0' not in self.buffer:
            more = os.read(self.read, 1 << 20)
            if not more:
                raise RuntimeError('the browser has ended')
            self.buffer += more
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if self.session:
            message['sessionId'] = self.session
        data = json.dumps(message).encode() + b'\0'
        while data:
            data = data[os.write(self.write, data):]
        while True:
            answer = self.receive()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError('%s: %s' % (method, answer['error']['message']))
                return answer['result']
            if 'method' in answer:
                self.events.append(answer)

    def wait_for(self, method):
        while not any(event['method'] == method for event in self.events):
            message = self.receive()
            if 'method' in message:
                self.events.append(message)

    def open(self, path, dark=False):
        self.call('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': 'dark' if dark else 'light'}])
        self.events = []
        self.call('Page.navigate', url='file://' + os.path.abspath(path))
        self.wait_for('Page.loadEventFired')

    def run(self, expression):
        """Evaluate JavaScript, and wait for a promise; an error of the script raises an exception.
        """
        answer = self.call('Runtime.evaluate', expression=expression, returnByValue=True,
                           awaitPromise=True)
        if 'exceptionDetails' in answer:
            details = answer['exceptionDetails']
            raise RuntimeError(details.get('exception', details).get('description', details))
        return answer['result'].get('value')

    def drawn(self):
        """Wait until the page is drawn."""
        self.run('new Promise((done) => requestAnimationFrame(() => setTimeout(done)))')

    def mouse(self, kind, x, y, **more):
        self.call('Input.dispatchMouseEvent', type=kind, x=x, y=y, **more)

    def click(self, x, y, count=1):
        for number in range(1, count + 1):
            for kind in ('mousePressed', 'mouseReleased'):
                self.mouse(kind, x, y, button='left', clickCount=number)
        self.drawn()

    def key(self, key, **more):
        text = {'text': key} if len(key) == 1 else {}
        self.call('Input.dispatchKeyEvent', type='keyDown', key=key, **text, **more)
        self.call('Input.dispatchKeyEvent', type='keyUp', key=key, **more)
        self.drawn()

    def errors(self):
        """Return the errors of the page: exceptions, blocked scripts, requests for other files."""
        wrong = []
        for event in self.events:
            what = event['params']
            if event['method'] == 'Runtime.exceptionThrown':
                wrong.append(what['exceptionDetails'].get('exception', {}).get('description'))
            elif event['method'] == 'Log.entryAdded':
                wrong.append(what['entry']['text'])
            elif event['method'] == 'Network.requestWillBeSent' and what['type'] != 'Document':
                wrong.append('asks for ' + what['request']['url'])
        return wrong
