#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A server of S3's PUT that checks signatures by itself: s3_server.py DIR [MODE].

Prints its port; objects become files of DIR, of each request a line goes to standard error.
"""
import hashlib
import hmac
import http.server
import os
import re
import socket
import sys
import threading

DIR, MODE = sys.argv[1], (sys.argv[2:] or [""])[0]
KEY_ID, KEY, REGION = "AKIDEXAMPLE", "wJalr/XUt+nFEMI", "eu-test-1"
met = set()
lock = threading.Lock()


def keyed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self, status, code="", **headers):
        body = b"" if not code else f"<?xml?>\n<Error><Code>{code}</Code></Error>".encode()
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def is_signed(self, body):
        found = re.fullmatch(
            r"AWS4-HMAC-SHA256 Credential=([^/]+)/(\d{8})/([^/]+)/s3/aws4_request, ?"
            r"SignedHeaders=([a-z0-9;-]+), ?Signature=([0-9a-f]{64})",
            self.headers.get("Authorization", ""))
        if not found:
            return False
        key_id, day, region, names, signature = found.groups()
        date, digest = self.headers["x-amz-date"], hashlib.sha256(body).hexdigest()
        if (key_id, region, date[:8]) != (KEY_ID, REGION, day):
            return False
        if "host" not in names.split(";") or self.headers["x-amz-content-sha256"] != digest:
            return False
        lines = "".join(f"{n}:{self.headers[n].strip()}\n" for n in names.split(";"))
        path, _, query = self.path.partition("?")
        canonical = f"PUT\n{path}\n{query}\n{lines}\n{names}\n{digest}"
        text = (f"AWS4-HMAC-SHA256\n{date}\n{day}/{region}/s3/aws4_request\n"
                + hashlib.sha256(canonical.encode()).hexdigest())
        key = ("AWS4" + KEY).encode()
        for part in (day, region, "s3", "aws4_request"):
            key = keyed(key, part)
        return keyed(key, text).hex() == signature

    def first(self, what):
        with lock:
            new = what not in met
            met.add(what)
        return new

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print(len(body), self.path, file=sys.stderr, flush=True)
        if not self.is_signed(body):
            return self.answer(403, "SignatureDoesNotMatch")
        if MODE == "busy" and self.first("busy"):
            return self.answer(503, "SlowDown", Retry_After="1")
        if MODE == "refuse" and self.first("refuse"):
            return self.answer(400, "EntityTooLarge")
        with open(os.path.join(DIR, os.path.basename(self.path)), "wb") as f:
            f.write(body)
        if MODE == "lost" and self.first(self.path):
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        return self.answer(200)


class Quiet(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


server = Quiet(("127.0.0.1", 0), Server)
print(server.server_address[1], flush=True)
server.serve_forever()
