#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Takes profiles by OTLP over HTTP, by its own reading of protobuf: otlp_server.py DIR [MODE [BYTES]].

It refuses what opentelemetry-proto (profiles/v1development) forbids: tables without their zero
value, numbers that aren't in them, entries that are there twice, samples without exactly one value,
texts that aren't UTF-8. Keeps messages as DIR/NUMBER.pb, and adds to DIR/weights, a line each:
type, leaf function, service, value. Prints its port; of each request a line goes to standard error.
"""
import base64
import gzip
import os
import sys
import time

import quiet_server
from protobuf import Wrong, pairs, varint

DIR, MODE = sys.argv[1], (sys.argv[2:] or [""])[0]
BYTES = int((sys.argv[3:] or [0])[0])
NUMBERS = iter(range(1000000))
MAPPINGS, LOCATIONS, FUNCTIONS, LINKS, STRINGS, ATTRIBUTES, STACKS = range(1, 8)
SEEN = set()


def fields(data):
    """Lists of a message's values, by field."""
    found = {}
    for field, value in pairs(data):
        found.setdefault(field, []).append(value)
    return found


def packed(values):
    out = []
    for value in values:
        at = 0
        while at < len(value):
            number, at = varint(value, at)
            out.append(number)
    return out


def one(message, field, default=0):
    return message.get(field, [default])[-1]


class Dictionary:
    def __init__(self, data):
        self.tables = fields(data)
        for table in range(MAPPINGS, STACKS + 1):
            entries = self.tables.get(table, [])
            # a Collector writes an empty value into an empty attribute
            if not entries or (entries[0] not in (b"", b"\x12\0") and table != LINKS):
                raise Wrong(f"table {table} has no zero value")
            if len(set(entries)) != len(entries):
                raise Wrong(f"table {table} has an entry twice")
        if len(self.tables[LINKS]) != 1:
            raise Wrong("links")
        self.texts = [text.decode() for text in self.tables[STRINGS]]
        self.used = {table: {0} for table in range(MAPPINGS, STACKS + 1)}
        self.used[LINKS] = {0}

    def entry(self, table, number):
        if number >= len(self.tables[table]):
            raise Wrong(f"table {table} has no {number}")
        self.used[table].add(number)
        return fields(self.tables[table][number])

    def text(self, number):
        if number >= len(self.texts):
            raise Wrong(f"no text {number}")
        self.used[STRINGS].add(number)
        return self.texts[number]

    def attributes(self, numbers):
        found = {}
        for number in numbers:
            entry = self.entry(ATTRIBUTES, number)
            key = self.text(one(entry, 1))
            value = fields(one(entry, 2, b""))
            if not number or not key or key in found or len(value) != 1:
                raise Wrong("an attribute")
            self.text(one(entry, 3))
            found[key] = value[1][0].decode() if 1 in value else value[3][0]
        return found

    def location(self, number):
        location = self.entry(LOCATIONS, number)
        mapping = self.entry(MAPPINGS, one(location, 1))
        self.text(one(mapping, 4))
        self.attributes(packed(mapping.get(5, [])))
        self.attributes(packed(location.get(4, [])))
        names = []
        for line in location.get(3, []):
            function = self.entry(FUNCTIONS, one(fields(line), 1))
            names.append(self.text(one(function, 1)))
            self.text(one(function, 2))
            self.text(one(function, 3))
        return names

    def stack(self, number):
        return [self.location(n) for n in packed(self.entry(STACKS, number).get(1, []))]

    def check_orphans(self):
        for table, used in self.used.items():
            if used != set(range(len(self.tables[table]))):
                raise Wrong(f"table {table} has what nobody refers to")


def resource_of(data):
    found = {}
    for attribute in fields(one(fields(data), 1, b"")).get(1, []):
        pair = fields(attribute)
        key = one(pair, 1).decode()
        if key in found:
            raise Wrong("an attribute twice")
        found[key] = one(fields(one(pair, 2)), 1).decode()
    if not found.get("host.name") or not found.get("service.name"):
        raise Wrong("whose resource?")
    return found


def check_profile(data, dictionary, service, lines):
    profile = fields(data)
    kind = fields(one(profile, 1))
    name = dictionary.text(one(kind, 1)) + "/" + dictionary.text(one(kind, 2))
    kind = fields(one(profile, 5))
    dictionary.text(one(kind, 1))
    dictionary.text(one(kind, 2))
    if len(one(profile, 7, b"")) != 16:
        raise Wrong("the profile's id")
    if abs(time.time() - one(profile, 3) / 1e9) > 36000 or not one(profile, 4):
        raise Wrong("the time")
    keys = set()
    for sample in map(fields, profile[2]):
        values, attributes = packed(sample.get(4, [])), packed(sample.get(2, []))
        key = (one(sample, 1), tuple(sorted(attributes)))
        if len(values) != 1 or key in keys:
            raise Wrong("a sample")
        keys.add(key)
        dictionary.attributes(attributes)
        stack = dictionary.stack(one(sample, 1))
        leaf = stack[0][0] if stack and stack[0] else "-"
        lines.append(f"{name}\t{leaf}\t{service}\t{values[0]}\n")
    return one(profile, 7).hex()


def check(body):
    request, lines, ids = fields(body), [], []
    dictionary = Dictionary(one(request, 2, b""))
    for resource in request.get(1, []):
        service = resource_of(resource)["service.name"]
        for scopes in fields(resource)[2]:
            for profile in fields(scopes).get(2, []):
                ids.append(check_profile(profile, dictionary, service, lines))
    if MODE != "collector":
        dictionary.check_orphans()
    return lines, ids


class Server(quiet_server.Answers):
    def refuse(self, status, message, **headers):
        text = message.encode()
        self.answer(status, b"\x12" + bytes([len(text)]) + text,
                    Content_Type="application/x-protobuf", **headers)

    def check_head(self):
        if self.path != "/prefix/v1development/profiles":
            raise Wrong("path")
        if self.headers.get_all("Content-Type") != ["application/x-protobuf"]:
            raise Wrong("content type")

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        print(len(body), self.path, file=sys.stderr, flush=True)
        secret = "Basic " + base64.b64encode(b"me:pass:word").decode()
        if MODE != "collector" and self.headers["Authorization"] != secret:
            return self.refuse(401, "who are you?")
        if MODE == "small" and len(body) > 4000:
            return self.refuse(413, "too much")
        try:
            self.check_head()
            if self.headers["Content-Encoding"] == "gzip":
                body = gzip.decompress(body)
            if MODE == "limit" and len(body) > BYTES:
                # as the Collector says it, to which it isn't 413
                raise Wrong("http: request body too large")
            lines, ids = check(body)
        except (Wrong, IndexError, KeyError, UnicodeDecodeError, OSError) as wrong:
            print("refused", wrong, file=sys.stderr, flush=True)
            return self.refuse(400, f"{type(wrong).__name__}: {wrong}"[:100])
        if MODE == "busy" and self.first("busy"):
            return self.refuse(429, "slowly", Retry_After="1")
        if MODE == "part":
            return self.answer(200, b"\x0a\x06\x08\x02\x12\x02no")
        with open(os.path.join(DIR, f"{next(NUMBERS)}.pb"), "wb") as f:
            f.write(body)
        with quiet_server.lock, open(os.path.join(DIR, "weights"), "a") as f:
            if not SEEN.intersection(ids):
                f.writelines(lines)
            SEEN.update(ids)
        if MODE == "lost" and self.first("lost"):
            return self.hang_up()
        return self.answer(200, Content_Type="application/x-protobuf")


quiet_server.serve(Server)
