# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Messages of protobuf, as far as servers of tests read them."""


class Wrong(Exception):
    pass


def varint(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def pairs(data):
    """Of each field its number and its value: a number, or bytes."""
    at, found = 0, []
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 1:
            value, at = int.from_bytes(data[at:at + 8], "little"), at + 8
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at:at + size], at + size
            if len(value) != size:
                raise Wrong("a field that is cut")
        else:
            raise Wrong(f"a field of kind {key & 7}")
        found.append((key >> 3, value))
    return found
