# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""pprof's message as bytes, written field by field: no library may tidy up what a test means to be odd."""
import gzip

SAMPLE_TYPE, SAMPLE, MAPPING, LOCATION, FUNCTION, STRING = range(1, 7)
DROP_FRAMES, KEEP_FRAMES, TIME, DURATION, PERIOD_TYPE, PERIOD, COMMENT, DEFAULT_TYPE = range(7, 15)


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7f:
        out.append(n & 0x7f | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def number(field, n):
    return varint(field << 3) + varint(n) if n else b''


def block(field, data):
    return varint(field << 3 | 2) + varint(len(data)) + data


def packed(field, numbers):
    return block(field, b''.join(map(varint, numbers))) if numbers else b''


def repeated(field, numbers):
    """The same as old writers have it: a key before each number."""
    return b''.join(varint(field << 3) + varint(n) for n in numbers)


class Profile:
    """Its parts are added in any order; ids are given out as they are met unless a part names its own."""

    def __init__(self, pack=True):
        self.texts = {'': 0}
        self.parts = []
        self.list = packed if pack else repeated
        self.ids = {MAPPING: 0, LOCATION: 0, FUNCTION: 0}

    def text(self, text):
        return self.texts.setdefault(text, len(self.texts))

    def add(self, field, data):
        self.parts.append(block(field, data))

    def plain(self, field, n):
        self.parts.append(varint(field << 3) + varint(n))

    def named(self, field, text):
        self.plain(field, self.text(text))

    def type(self, name, unit, field=SAMPLE_TYPE):
        self.add(field, number(1, self.text(name)) + number(2, self.text(unit)))

    def new_id(self, field):
        self.ids[field] += 1
        return self.ids[field]

    def mapping(self, start, limit, file, build_id='', flags=(0, 0, 0, 0), offset=0):
        at = self.new_id(MAPPING)
        data = number(1, at) + number(2, start) + number(3, limit) + number(4, offset)
        data += number(5, self.text(file)) + number(6, self.text(build_id))
        self.add(MAPPING, data + b''.join(number(7 + i, flag) for i, flag in enumerate(flags)))
        return at

    def function(self, name, system='', file='', start=0):
        at = self.new_id(FUNCTION)
        self.add(FUNCTION, number(1, at) + number(2, self.text(name)) + number(3, self.text(system)) +
                 number(4, self.text(file)) + number(5, start))
        return at

    def location(self, mapping, address, lines, folded=False):
        at = self.new_id(LOCATION)
        data = number(1, at) + number(2, mapping) + number(3, address)
        data += b''.join(block(4, number(1, f) + number(2, line)) for f, line in lines)
        self.add(LOCATION, data + number(5, folded))
        return at

    def sample(self, locations, values, labels=()):
        """labels: (key, text) or (key, number, unit)"""
        data = self.list(1, locations) + self.list(2, values)
        for key, value, *unit in labels:
            one = number(1, self.text(key))
            one += number(2, self.text(value)) if isinstance(value, str) else number(3, value)
            data += block(3, one + (number(4, self.text(unit[0])) if unit else b''))
        self.add(SAMPLE, data)

    def bytes(self, zipped):
        data = b''.join(self.parts) + b''.join(block(STRING, t.encode()) for t in self.texts)
        return gzip.compress(data, 1, mtime=0) if zipped else data
