#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A server of S3's PUT that checks signatures by itself: s3_server.py DIR [MODE].

Prints its port; objects become files of DIR, of each request a line goes to standard error.
"""
import hashlib
import hmac
import os
import re
import sys

import quiet_server

DIR, MODE = sys.argv[1], (sys.argv[2:] or [""])[0]
KEY_ID, KEY, REGION = "AKIDEXAMPLE", "wJalr/XUt+nFEMI", "eu-test-1"


def keyed(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


class Server(quiet_server.Answers):
    def refuse(self, status, code, **headers):
        self.answer(status, f"<?xml?>\n<Error><Code>{code}</Code></Error>".encode(), **headers)

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

    def do_PUT(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print(len(body), self.path, file=sys.stderr, flush=True)
        if not self.is_signed(body):
            return self.refuse(403, "SignatureDoesNotMatch")
        if MODE == "busy" and self.first("busy"):
            return self.refuse(503, "SlowDown", Retry_After="1")
        if MODE == "refuse" and self.first("refuse"):
            return self.refuse(400, "EntityTooLarge")
        with open(os.path.join(DIR, os.path.basename(self.path)), "wb") as f:
            f.write(body)
        if MODE == "lost" and self.first(self.path):
            return self.hang_up()
        return self.answer(200)


quiet_server.serve(Server)
