#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A server of S3's PUT, GET and lists that checks signatures by itself: s3_server.py DIR [MODE].

Prints its port; objects become files of DIR, of each request a line goes to standard error. Lists
have two objects a page.
"""
import gzip
import hashlib
import hmac
import os
import re
import sys
import time
import urllib.parse
import xml.sax.saxutils

import quiet_server

DIR, MODE = sys.argv[1], (sys.argv[2:] or [""])[0]
AHEAD = -86400 if MODE == "behind" else 0  # seconds, of the date that lists have
PUT = {}  # by name: the file, and when
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
        canonical = f"{self.command}\n{path}\n{query}\n{lines}\n{names}\n{digest}"
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
        name = urllib.parse.unquote(self.path)
        if MODE in ("behind", "undated"):  # as older versions named them
            name = re.sub(r"(-\d{13}){2}(?=\.pb\.gz$)", "", name)
        file = os.path.join(DIR, os.path.basename(self.path))
        if file in (PUT[other][0] for other in PUT if other != name):
            file += ".2"
        with open(file, "wb") as f:
            f.write(body)
        PUT[name] = file, time.time()
        if MODE == "lost" and self.first(self.path):
            return self.hang_up()
        return self.answer(200)

    def do_GET(self):
        print("GET", self.path, self.headers.get("Range", "all"), file=sys.stderr, flush=True)
        if not self.is_signed(b""):
            return self.refuse(403, "SignatureDoesNotMatch")
        if MODE == "busy" and self.first(self.path + self.headers.get("Range", "")):
            return self.refuse(503, "SlowDown")
        path, _, query = self.path.partition("?")
        if query:
            return self.list(path, dict(urllib.parse.parse_qsl(query)))
        return self.give(urllib.parse.unquote(path))

    def give(self, name):
        if name not in PUT or (MODE == "gone" and self.first("gone")):
            return self.refuse(404, "NoSuchKey")
        if MODE == "bomb" and "Range" not in self.headers:
            return self.answer(200, gzip.compress(bytes(1 << 26)))
        with open(PUT[name][0], "rb") as f:
            body = f.read()
        if MODE == "endless" and "Range" not in self.headers:
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(body)
        wanted = re.fullmatch(r"bytes=0-(\d+)", self.headers.get("Range", ""))
        if wanted and MODE != "whole":
            return self.answer(206, body[:int(wanted[1]) + 1])
        return self.answer(200, body)

    def list(self, bucket, query):
        if query.get("list-type") != "2":
            return self.refuse(400, "InvalidArgument")
        names = sorted(n[len(bucket) + 1:] for n in PUT if n.startswith(bucket + "/"))
        names = [n for n in names if n.startswith(query["prefix"])]
        if MODE != "circle":
            names = [n for n in names if n > query.get("continuation-token", "")]
        more = len(names) > 2 or MODE == "circle"
        text = "<?xml version=\"1.0\"?><ListBucketResult xmlns=\"x\"><KeyCount>2</KeyCount>"
        for name in names[:2]:
            date = time.strftime("%Y-%m-%dT%H:%M:%S.000Z",
                                 time.gmtime(PUT[f"{bucket}/{name}"][1] + AHEAD))
            text += (f"<Contents><Key>{xml.sax.saxutils.escape(name)}</Key>"
                     f"<LastModified>{date}</LastModified><Size>1</Size></Contents>")
        text += f"<IsTruncated>{'true' if more else 'false'}</IsTruncated>"
        if more and MODE != "no-token":
            token = "" if MODE == "circle" else names[1]
            token = xml.sax.saxutils.escape(token) or "x"
            text += f"<NextContinuationToken>{token}</NextContinuationToken>"
        if MODE != "cut":
            text += "</ListBucketResult>"
        return self.answer(200, text.encode())


quiet_server.serve(Server)
