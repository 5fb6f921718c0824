# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# A headless Chromium by its driver's HTTP interface (W3C WebDriver), with nothing but Python's library.
# Run as a program it is one for others: prints the BROWSER that their environment needs, and ends with its input.
import base64
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request


class Browser:
    def __init__(self, width=1440, height=860, dark=False, scale=1):
        self.driver = None
        self.base = os.environ.get("BROWSER")
        if not self.base:
            self.start(width, height, scale)
        self.alert("dismiss")
        self.errors()
        self.ask("POST", "/goog/cdp/execute", {"cmd": "Emulation.setEmulatedMedia", "params": {
            "features": [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]}})

    def start(self, width, height, scale):
        self.home = tempfile.mkdtemp(prefix="pmb-browser.")
        self.driver = subprocess.Popen(
            ["chromedriver", "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
            env={**os.environ, "HOME": self.home})
        port = None
        for line in self.driver.stdout:
            port = re.search(r"started successfully on port (\d+)", line)
            if port:
                break
        if not port:
            raise RuntimeError("chromedriver does not start")
        self.base = f"http://127.0.0.1:{port[1]}/session"
        # --no-sandbox: the tests run as root, who has none
        args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                f"--user-data-dir={self.home}/profile", f"--window-size={width},{height}",
                f"--force-device-scale-factor={scale}", "--disable-background-networking"]
        answer = self.ask("POST", "", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": args}, "goog:loggingPrefs": {"browser": "ALL"},
            "unhandledPromptBehavior": "ignore"}}})
        self.base += "/" + answer["sessionId"]

    def ask(self, method, path, body=None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        try:
            with opener.open(request, timeout=120) as reply:
                return json.load(reply)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(json.load(error)["value"]["message"]) from None

    def open(self, path, fragment=""):
        self.ask("POST", "/url", {"url": "about:blank"})
        self.ask("POST", "/url", {"url": "file://" + os.path.abspath(path) + fragment})

    def run(self, script, *args):
        """The value of a function's body."""
        return self.ask("POST", "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args):
        """The value of a function's body, once it is true."""
        return self.ask("POST", "/execute/async", {"args": list(args), "script": """
            const args = [...arguments], done = args.pop(), until = performance.now() + 20000;
            const test = new Function(%s);
            (function again() {
                const value = test(...args);
                if (value || performance.now() > until) done(value); else setTimeout(again, 5);
            })();""" % json.dumps(script)})

    def keys(self, text):
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": way, "value": c} for c in text for way in ("keyDown", "keyUp")]}]})

    def hold(self, key, text):
        """These keys while that one is down."""
        self.ask("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": [
            {"type": "keyDown", "value": key}, *({"type": way, "value": c} for c in text for way in ("keyDown", "keyUp")),
            {"type": "keyUp", "value": key}]}]})

    def drag(self, begin, end):
        move = lambda place: {"type": "pointerMove", "duration": 0, "x": round(place[0]), "y": round(place[1])}
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            move(begin), {"type": "pointerDown", "button": 0}, move(end), {"type": "pointerUp", "button": 0}]}]})

    def click(self, x, y, count=1):
        press = [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}] + press * count}]})

    def move(self, x, y):
        self.ask("POST", "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]}]})

    def screenshot(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("GET", "/screenshot")))

    def print(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.ask("POST", "/print", {"orientation": "landscape", "background": True})))

    def errors(self):
        """What the console has got since the last call."""
        return [e["message"] for e in self.ask("POST", "/se/log", {"type": "browser"})
                if e["level"] in ("SEVERE", "WARNING")]

    def alert(self, what="text"):
        try:
            return self.ask("GET" if what == "text" else "POST", "/alert/" + what, None if what == "text" else {})
        except RuntimeError:
            return None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if not self.driver:
            return
        try:
            self.ask("DELETE", "")
        except (RuntimeError, OSError):
            pass
        self.driver.terminate()
        self.driver.wait(timeout=20)
        shutil.rmtree(self.home, ignore_errors=True)


if __name__ == "__main__":
    with Browser() as one:
        print(one.base, flush=True)
        sys.stdin.read()
