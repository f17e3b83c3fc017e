"""Opens a page in headless Chromium and reports what it sees: messages, elements, sizes, pictures.

Speaks the DevTools protocol over a pipe, with the standard library only. Also a program:
    browser.py PAGE.html PICTURE.png [WIDTH] [light|dark]
"""

import base64
import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

TIMEOUT = 60

MEASURE = """(() => {
  const count = {};
  for (const element of document.querySelectorAll("[id]")) count[element.id] = (count[element.id] || 0) + 1;
  const size = element => { const box = element.getBoundingClientRect(); return [box.width, box.height]; };
  const outside = (svg) => {
    const frame = svg.getBoundingClientRect();
    return [...svg.querySelectorAll("text")].filter(text => {
      const box = text.getBoundingClientRect();
      return box.left < frame.left || box.right > frame.right || box.top < frame.top || box.bottom > frame.bottom;
    }).map(text => text.textContent);
  };
  const overlapping = (svg) => {
    const texts = [...svg.querySelectorAll("text")].map(text => [text.textContent, text.getBoundingClientRect()]);
    const pairs = [];
    texts.forEach(([a, p], i) => texts.slice(i + 1).forEach(([b, q]) => {
      const wide = Math.min(p.right, q.right) - Math.max(p.left, q.left);
      const high = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (wide > 1 && high > Math.min(p.height, q.height) / 3) pairs.push([a, b]);
    }));
    return pairs;
  };
  const svgs = [...document.querySelectorAll("svg")];
  return {
    figures: [...document.querySelectorAll("figure[id]")].map(figure => figure.id),
    repeated_ids: Object.keys(count).filter(id => count[id] > 1),
    svg_sizes: svgs.map(size),
    text_outside: svgs.flatMap(outside),
    text_overlapping: svgs.flatMap(overlapping),
    scripts: document.scripts.length,
    page_width: document.documentElement.scrollWidth,
    window_width: window.innerWidth,
    ground: getComputedStyle(document.body).backgroundColor,
  };
})()"""


def find():
    """The browser's path, or None."""
    return next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


class Browser:
    def __init__(self):
        self.profile = tempfile.mkdtemp(prefix="bitbayes_browser_")
        ours_in, theirs_out = os.pipe()
        theirs_in, ours_out = os.pipe()
        # Chromium reads file 3 and writes file 4; copies from 10 on cannot collide with these.
        high_in, high_out = (fcntl.fcntl(file, fcntl.F_DUPFD, 10) for file in (theirs_in, theirs_out))

        def give_files():
            os.dup2(high_in, 3)
            os.dup2(high_out, 4)

        self.process = subprocess.Popen(
            [find(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--hide-scrollbars", f"--user-data-dir={self.profile}", "--remote-debugging-pipe", "about:blank"],
            preexec_fn=give_files, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for file in (theirs_in, theirs_out, high_in, high_out):
            os.close(file)
        self.ours_in, self.ours_out = ours_in, ours_out
        self.received, self.events, self.number, self.session = b"", [], 0, None
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
            for domain in ("Page", "Runtime", "Log"):
                self.call(f"{domain}.enable")
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        os.close(self.ours_out)  # the browser ends with its pipe
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        os.close(self.ours_in)
        shutil.rmtree(self.profile, ignore_errors=True)

    def _next(self, end):
        while b"\0" not in self.received:
            if not select.select([self.ours_in], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            piece = os.read(self.ours_in, 1 << 20)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.received += piece
        message, self.received = self.received.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        text = json.dumps(message).encode() + b"\0"
        while text:
            text = text[os.write(self.ours_out, text):]
        end = time.monotonic() + TIMEOUT
        while True:
            answer = self._next(end)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']['message']}")
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def open(self, page, width=1200, scheme="light"):
        """Loads the file `page` in a window of `width` CSS pixels."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=800, deviceScaleFactor=1,
                  mobile=width < 600)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.events.clear()
        self.call("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        end = time.monotonic() + TIMEOUT
        while not any(event["method"] == "Page.loadEventFired" for event in self.events):
            event = self._next(end)
            if "method" in event:
                self.events.append(event)
        self.evaluate("document.fonts.ready.then(() => 0)")

    def evaluate(self, script):
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"]["text"])
        return answer["result"].get("value")

    def messages(self):
        """What the page wrote to the console, and what the browser complained about."""
        found = []
        for event in self.events:
            parameters = event["params"]
            if event["method"] == "Runtime.consoleAPICalled":
                words = " ".join(str(argument.get("value", "")) for argument in parameters["args"])
                found.append(f"{parameters['type']}: {words}")
            elif event["method"] == "Runtime.exceptionThrown":
                found.append(f"exception: {parameters['exceptionDetails']['text']}")
            elif event["method"] == "Log.entryAdded":
                found.append(f"{parameters['entry']['level']}: {parameters['entry']['text']}")
        return found

    def measure(self):
        return self.evaluate(MEASURE)

    def screenshot(self, picture, height=0):
        """The whole page, or its top, as PNG."""
        size = self.measure()
        clip = {"x": 0, "y": 0, "width": size["page_width"], "height": height, "scale": 1}
        data = self.call("Page.captureScreenshot", captureBeyondViewport=True,
                         **({"clip": clip} if height else {}))["data"]
        with open(picture, "wb") as file:
            file.write(base64.b64decode(data))


def faults(browser, page, figures, width=1200, scheme="light"):
    """What is wrong with a report: a list of sentences, empty if there is nothing."""
    browser.open(page, width, scheme)
    seen = browser.measure()
    found = [f"console: {message}" for message in browser.messages()]
    found += [f"figure '{name}' is missing" for name in figures if name not in seen["figures"]]
    found += [f"id '{name}' is there more than once" for name in seen["repeated_ids"]]
    found += [f"a drawing has the size {size}" for size in seen["svg_sizes"] if min(size) < 1]
    found += [f"text '{text}' leaves its drawing" for text in seen["text_outside"]]
    found += [f"texts '{a}' and '{b}' overlap" for a, b in seen["text_overlapping"]]
    if seen["scripts"]:
        found.append(f"{seen['scripts']} scripts")
    if seen["page_width"] > width:
        found.append(f"the page is {seen['page_width']} wide in a window of {width}")
    return found


def main(page, picture, width="1200", scheme="light", height="0"):
    with Browser() as browser:
        browser.open(page, int(width), scheme)
        browser.screenshot(picture, int(height))
        print(json.dumps({"messages": browser.messages(), **browser.measure()}, indent=1))


if __name__ == "__main__":
    main(*sys.argv[1:])
