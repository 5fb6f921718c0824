#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
#
# hostile_elf.py KIND PROGRAM FILE: copies an x86-64 or arm64 executable that runs as before, for the kernel looks at
# program headers only, but whose sections are a trap for those who read them:
#
#   overlap      every section is the whole file
#   huge         symbol and string tables claim 2^63 bytes; other sections end beyond 2^64
#   strings      string tables that name themselves, have no end, and are the symbols' own; names beyond them
#   claims       .debug_info claims to inflate to 100 GB
#   inflates     .debug_info of 100 GB, honestly so (zlib, 100 MB)
#   below        .debug_info of 1.9 GB of zeros, which is just allowed
#   minidebug    .gnu_debugdata of 100 GB (xz, 15 MB)
#   frames       .eh_frame of 17 MB, nearly all of it entries that nothing refers to: not wrong, but all is read
#   names        its symbols and its section names hold what forges lines and commands terminals
import lzma
import os
import struct
import sys
import zlib

SHDR = struct.Struct('<IIQQQQIIQQ')  # name type flags addr offset size link info align entsize
PROGBITS, SYMTAB, STRTAB, COMPRESSED = 1, 2, 3, 0x800
GB = 1 << 30


class Elf:
    def __init__(self, data):
        self.data = bytearray(data)
        self.shoff = struct.unpack_from('<Q', data, 0x28)[0]
        self.shnum, self.shstrndx = struct.unpack_from('<HH', data, 0x3c)
        self.sections = [list(SHDR.unpack_from(data, self.shoff + i * SHDR.size)) for i in range(self.shnum)]

    def name(self, section):
        start = self.sections[self.shstrndx][4] + section[0]
        return bytes(self.data[start:self.data.index(0, start)]).decode()

    def find(self, name):
        return next(s for s in self.sections if self.name(s) == name)

    def append(self, content):
        self.data += bytes(-len(self.data) % 16)
        at = len(self.data)
        self.data += content
        return at

    def replace(self, name, content, flags=0):
        """The section's bytes, elsewhere in the file."""
        section = self.find(name)
        section[2] |= flags
        section[4] = self.append(content)
        section[5] = len(content)

    def rename(self, old, new):
        """Its name, which is shorter."""
        start = self.sections[self.shstrndx][4] + self.find(old)[0]
        self.data[start:start + len(new) + 1] = new.encode() + b'\0'

    def bytes(self):
        at = self.append(b''.join(SHDR.pack(*s) for s in self.sections))
        struct.pack_into('<Q', self.data, 0x28, at)
        return self.data


def overlap(elf):
    for s in elf.sections[1:]:
        s[4], s[5] = 0, len(elf.data)


def huge(elf):
    for s in elf.sections[1:]:
        if s[1] in (SYMTAB, STRTAB):
            s[5] = 1 << 63
        elif s[2] & 2 == 0:
            s[4] = 0xfffffffffffff000


def sparse(elf):
    """Tables that are holes: some kB on the disk."""
    for number, name in enumerate(('.symtab', '.strtab', '.dynsym', '.dynstr')):
        section = elf.find(name)
        section[4], section[5] = number + 1 << 30, 1 << 30


def strings(elf):
    symtab = elf.find('.symtab')
    symtab[6] = elf.sections.index(symtab)  # its names are itself
    strtab = elf.find('.strtab')
    strtab[6] = elf.sections.index(strtab)
    elf.replace('.strtab', b'\xff' * 4096)
    for i in range(symtab[5] // 24):
        struct.pack_into('<I', elf.data, symtab[4] + i * 24, 0xfffffff0 + i % 16)
    for s in elf.sections[1:]:
        if s is not symtab and elf.name(s) not in ('.symtab', '.strtab', '.shstrtab'):
            s[0] = 0xffffffff


def compressed(claim, content):
    return struct.pack('<IIQQ', 1, 0, claim, 1) + content


def zeros(total):
    """A deflate stream of so many: one block, again and again. (Its checksum is nobody's, it comes last.)"""
    z = zlib.compressobj(9)
    head = z.compress(bytes(1 << 20)) + z.flush(zlib.Z_FULL_FLUSH)
    block = z.compress(bytes(1 << 20)) + z.flush(zlib.Z_FULL_FLUSH)
    tail = zlib.compressobj(9, zlib.DEFLATED, -15)
    checksum = (total % 65521) << 16 | 1  # Adler-32 of zeros
    return head + block * (total // (1 << 20) - 1) + tail.flush() + struct.pack('>I', checksum)


def xz_zeros(total):
    """An .xz file of many equal blocks."""
    one = lzma.compress(bytes(1 << 24), check=lzma.CHECK_NONE)
    index_len = (struct.unpack('<I', one[-8:-4])[0] + 1) * 4
    block = one[12:len(one) - 12 - index_len]
    unpadded = one[len(one) - 12 - index_len + 2:]
    n = total >> 24

    def vli(value):
        out = b''
        while value > 127:
            out += bytes([value & 127 | 128])
            value >>= 7
        return out + bytes([value])

    record = vli_record(unpadded)
    index = b'\0' + vli(n) + record * n
    index += bytes(-len(index) % 4)
    index += struct.pack('<I', zlib.crc32(index))
    footer = struct.pack('<I', len(index) // 4 - 1) + one[-4:-2]
    return one[:12] + block * n + index + struct.pack('<I', zlib.crc32(footer)) + footer + one[-2:]


def vli_record(index):
    """The two numbers of an index's first record, as they are."""
    at = 0
    for _ in range(2):
        while index[at] & 128:
            at += 1
        at += 1
    return index[:at]


def minidebug(elf):
    """With no symbols of its own, for else nobody would look."""
    elf.find('.symtab')[1] = PROGBITS
    elf.replace('.debug_line_str', xz_zeros(100 * GB))
    elf.rename('.debug_line_str', '.gnu_debugdata')


def names(elf):
    strtab = elf.find('.strtab')
    content = bytes(elf.data[strtab[4]:strtab[4] + strtab[5]])
    for old, new in ((b'hot70\0', b';a\n7\x1b\0'), (b'hot30\0', b'\nr;x \0')):
        content = content.replace(old, new)
    elf.replace('.strtab', content)


def frames(elf):
    section = elf.find('.eh_frame')
    content = bytes(elf.data[section[4]:section[4] + section[5]])
    entry = content[:4 + struct.unpack_from('<I', content)[0]]
    if content[-4:] == bytes(4):
        content = content[:-4]
    elf.replace('.eh_frame', content + entry * ((17 << 20) // len(entry)) + bytes(4))


KINDS = {
    'overlap': overlap,
    'huge': huge,
    'sparse': sparse,
    'strings': strings,
    'names': names,
    'frames': frames,
    'claims': lambda e: e.replace('.debug_info', compressed(100 * GB, zeros(1 << 20)), COMPRESSED),
    'inflates': lambda e: e.replace('.debug_info', compressed(100 * GB, zeros(100 * GB)), COMPRESSED),
    'below': lambda e: e.replace('.debug_info', compressed(1900 << 20, zeros(1900 << 20)), COMPRESSED),
    'minidebug': minidebug,
}

kind, program, target = sys.argv[1:]
elf = Elf(open(program, 'rb').read())
KINDS[kind](elf)
open(target, 'wb').write(elf.bytes())
if kind == 'sparse':
    os.truncate(target, 5 << 30)
