#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Not Pyroscope: a server that checks what its push.v1 takes: pyroscope_server.py DIR [MODE].

It refuses what Pyroscope's validation refuses by default (names of labels and types, labels of
samples, sizes, times older than an hour), reads protobuf by itself, and keeps profiles as
DIR/NUMBER-SERVICE.pb.gz. Prints its port; of each request a line goes to standard error.
"""
import base64
import gzip
import json
import os
import re
import sys
import time

import quiet_server
from protobuf import Wrong, pairs

DIR, MODE = sys.argv[1], (sys.argv[2:] or [""])[0]
NUMBERS = iter(range(1000000))


def of(data, number):
    return [value for n, value in pairs(data) if n == number]


def one(data, number, default=None):
    values = of(data, number)
    return values[-1] if values else default


def check_profile(data):
    profile = gzip.decompress(data)
    if len(profile) > 4 << 20:
        raise Wrong("profile_size_limit")
    texts = of(profile, 6)
    for kind in of(profile, 1):
        if not re.fullmatch(rb"[a-zA-Z_][a-zA-Z0-9_]*", texts[one(kind, 1, 0)]):
            raise Wrong("sample type contains -")
    samples = of(profile, 2)
    if not samples or len(samples) > 16000:
        raise Wrong("samples_limit")
    if any(of(sample, 3) for sample in samples):
        raise Wrong("labels of samples")
    if any(not one(location, 1, 0) for location in of(profile, 4)):
        raise Wrong("location id is 0")
    if MODE == "old" or abs(time.time() - one(profile, 9, 0) / 1e9) > 3600:
        raise Wrong("outside of the ingestion window, which is what an \"old\" profile is")


def check_series(series):
    labels = [(one(pair, 1).decode(), one(pair, 2, b"").decode()) for pair in of(series, 1)]
    names = [name for name, _ in labels]
    if names != sorted(set(names)) or not 0 < len(names) <= 30:
        raise Wrong("label names")
    labels = dict(labels)
    if not re.fullmatch(r"[a-zA-Z_:][a-zA-Z0-9_:]*", labels.get("__name__", "")):
        raise Wrong("invalid metric name")
    if not labels.get("service_name"):
        raise Wrong("service name is not provided")
    files = [one(sample, 1) for sample in of(series, 2)]
    for file in files:
        check_profile(file)
    return labels, files


class Server(quiet_server.Answers):
    def refuse(self, status, code, message, **headers):
        self.answer(status, json.dumps({"code": code, "message": message}).encode(),
                    Content_Type="application/json", **headers)

    def check_head(self):
        if self.path != "/prefix/push.v1.PusherService/Push":
            raise Wrong("path")
        if self.headers["Content-Type"] != "application/proto":
            raise Wrong("content type")
        if self.headers["Connect-Protocol-Version"] != "1":
            raise Wrong("protocol")
        if self.headers["X-Scope-OrgID"] != "us":
            raise Wrong("tenant")
        if self.headers.get_all("Content-Type") != ["application/proto"]:
            raise Wrong("content types")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print(len(body), self.path, file=sys.stderr, flush=True)
        if self.headers["Authorization"] != "Basic " + base64.b64encode(b"me:pass:word").decode():
            return self.refuse(401, "unauthenticated", "who are you?")
        try:
            self.check_head()
            series = [check_series(one) for one in of(body, 1)]
        except (Wrong, IndexError, UnicodeDecodeError, OSError) as wrong:
            return self.refuse(400, "invalid_argument", str(wrong))
        if MODE == "busy" and self.first("busy"):
            return self.refuse(429, "resource_exhausted", "push rate limit", Retry_After="1")
        if MODE == "down" and self.first("down"):
            return self.refuse(503, "unavailable", "no ingester")
        for labels, files in series:
            for file in files:
                name = re.sub(r"\W", "_", labels["service_name"])
                with open(os.path.join(DIR, f"{next(NUMBERS)}-{name}.pb.gz"), "wb") as f:
                    f.write(file)
        if MODE == "lost" and self.first("lost"):
            return self.hang_up()
        return self.answer(200, Content_Type="application/proto")


quiet_server.serve(Server)
