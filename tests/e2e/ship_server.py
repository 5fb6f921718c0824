#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""A server that misbehaves, or one in front of ClickHouse that does: ship_server.py MODE [PORT].

With $CERTIFICATE, a file of a key and its certificate, it speaks TLS.

Prints its port. Of each question a line goes to standard error: the bytes of its body, its query.
"""
import gzip
import http.client
import os
import ssl
import sys
import time

import quiet_server

MODE = sys.argv[1]
BEHIND = int(sys.argv[2]) if len(sys.argv) > 2 else 0


class Server(quiet_server.Answers):
    def forward(self, body):
        """What ClickHouse answers."""
        behind = http.client.HTTPConnection("127.0.0.1", BEHIND)
        keep = ("content-encoding", "x-clickhouse-user", "x-clickhouse-key")
        headers = {k: v for k, v in self.headers.items() if k.lower() in keep}
        behind.request("POST", self.path, body, headers)
        reply = behind.getresponse()
        return reply.status, reply.read()

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        insert = "INSERT" in self.path
        samples = "INTO%20samples" in self.path
        print(len(body), self.path, file=sys.stderr, flush=True)
        if MODE == "redirect":
            return self.answer(302, Location="file:///etc/shadow")
        if MODE == "endless":
            self.send_response(200)
            self.end_headers()
            while True:
                self.wfile.write(b"\1" * 1000000)
        if MODE == "slow":
            for _ in range(1000):
                self.wfile.write(b"H")
                time.sleep(0.2)
        if MODE == "headers":
            self.wfile.write(b"HTTP/1.1 200 OK\r\n")
            while True:
                self.wfile.write(b"X-More: " + b"x" * 4000 + b"\r\n")
        if MODE == "bomb":
            return self.answer(200, gzip.compress(bytes(1 << 24)), Content_Encoding="gzip")
        if MODE == "random":
            return self.answer(200, bytes((i * 37 + 11) % 251 for i in range(5000)))
        if MODE == "lost" and insert and self.first(self.path):
            self.forward(body)
            return self.hang_up()
        if MODE == "cut" and insert and self.first(self.path):
            return self.hang_up()
        if MODE in ("shard-lost", "shard-cut") and insert and self.first(self.path):
            if MODE == "shard-lost":
                self.forward(body)
            return self.answer(500, b"Code: 32, e.displayText() = DB::Exception: Attempt to read "
                                    b"after eof: while receiving packet from 127.0.0.1:9000\n")
        if MODE == "small" and samples and len(body) > 4000:
            return self.answer(413)
        if MODE == "busy" and insert and self.first("busy"):
            return self.answer(429, Retry_After="1")
        if MODE == "refuse" and samples and self.first("refuse"):
            return self.answer(400, b"no")
        status, data = self.forward(body)
        return self.answer(status, data)

    do_GET = do_POST


tls = None
if "CERTIFICATE" in os.environ:
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(os.environ["CERTIFICATE"])
quiet_server.serve(Server, tls)
