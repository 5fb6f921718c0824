# SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
"""Texts for -e, right and wrong ones, by rule and by chance, and the same each time."""
import itertools
import os
import random

SOAK = os.environ.get('SOAK') == '1'

HARDWARE = ['cycles', 'cpu-cycles', 'instructions', 'cache-references', 'cache-misses', 'branches',
            'branch-instructions', 'branch-misses', 'bus-cycles', 'stalled-cycles-frontend',
            'idle-cycles-frontend', 'stalled-cycles-backend', 'idle-cycles-backend', 'ref-cycles']
SOFTWARE = ['cpu-clock', 'task-clock', 'page-faults', 'faults', 'context-switches', 'cs', 'cpu-migrations',
            'migrations', 'minor-faults', 'major-faults', 'alignment-faults', 'emulation-faults']
CACHES = [f'{cache}-{op}' for cache in ('L1-dcache', 'L1-icache', 'LLC', 'dTLB', 'iTLB', 'branch', 'node')
          for op in ('loads', 'load-misses', 'stores', 'store-misses', 'prefetches', 'prefetch-misses')]
RAW = ['r1a', 'r0', 'rffff', 'r1000000c0', 'r00c0', 'rc0ffee', '0:0', '0:3', '1:2', '1:4', '3:65536', '3:2', '4:60']
# One of each: what overlaps is said twice, see RIGHT.
TERMS = [['event=0x3c', 'event=60'], ['umask=0x1', 'umask=0xff'], ['cmask=1', 'cmask=0x10'], ['inv'],
         ['edge=1'], ['any'], ['ldlat=3', 'offcore_rsp=0x10003c0001', 'frontend=0x400406', 'config1=0x7'], ['in_tx'],
         ['config2=9'], ['pc=1'], ["name='two_words'", 'name=short', "name='a,b'", "name='a:u=[b]'"]]
PMU = ['cpu/cycles-t/', 'cpu/instructions/', 'cpu/cpu-cycles/', 'cpu/topdown-slots-issued/', 'msr/tsc/', 'msr/aperf/',
       'msr/event=2/', 'power/energy-pkg/', 'power/energy-ram/', 'cpu/r1a/', 'cpu/mem-stores/', 'cpu/mem-loads/',
       'cstate_core/c3-residency/', 'cstate_pkg/event=0/', 'cpu/branch-misses,cmask=2/', 'cpu/config=0xc0/',
       'uncore_imc_1/event=4/', 'uncore_imc/cas_count_read/', 'uncore_imc/event=4,umask=3/', 'imc/clockticks/',
       'uncore_imc/cas_count_write/', 'uncore_imc/nope/', 'uncore_im/event=4/']
# Each length with each access, and each address with several of them: an address is read alone.
MEM_AT = itertools.cycle(['0x1000', '4096', '0x7fffffff0000', '0x1000', '0x7fffffff0000', '4096', '4096'])
MEM = [f'mem:{next(MEM_AT)}{length}{access}'
       for length in ('', '/1', '/2', '/4', '/8') for access in ('', ':r', ':w', ':rw', ':wr', ':x')]
WRONG = ['', ' ', ',', ':', '/', 'cycles:', 'cycles::u', 'cycles:z', 'cycles:uz', 'cycles:pppp', 'cycles/', 'cycles:u:k',
         'cyclesu', 'cycles-', '-cycles', 'nope', 'nope:u', 'r', 'rxyz', 'r1g', 'R1A', 'r0x1a', '1a',
         'cpu', 'cpu/', 'cpu/nope/', 'cpu/nope=1/', 'cpu/event=zz/', 'cpu/event=0x3c', 'cpu/event=/', 'cpu/=1/',
         'cpu/event=0x100/', 'cpu/umask=256/', 'cpu/edge=2/', 'cpu/event=-1/', 'cpu/event=0x3c,/', 'cpu/,event=0x3c/',
         'cpu/event=0x3c,,umask=1/', 'nope/event=1/', 'cpu/event=0x3c/z', 'cpu/event=0x3c/pppp', 'mem:', 'mem:zz',
         'mem:0x1000:q', 'mem:0x1000/zz', 'mem:0x1000/4:', 'mem:0x1000:rq', 'cycles,', 'cycles,,instructions', ',cycles',
         'cycles instructions', 'cycles,nope', 'L1-dcache-', 'L1-dcache-nope', 'L3-loads', '5:', ':5',
         'cycles/period=/', 'cycles/period=x/', 'cycles/nope=1/', 'cycles/config=x/', 'cpu/config=0xg/', '99999999999:1',
         'software:page-faults', 'page-faults/nope/', 'msr/nope/', 'msr/event=0x1,umask=1/', 'cycles/name=/', 'x:y:z',
         'cycles;instructions', 'cpu/event=0x3c/,nope', 'cpu/period=100', 'mem:0x1000/4:w:z', 'cycles:u,', 'cycles:IIz',
         'cycles:S', 'cycles:b', 'cycles:Wu', 'sched:sched_*', 'sched:sched_sw?tch', 'context-switches:u',
         'cpu/event=0x3c/u:k', 'cpu/event=0x3c//u', 'cpu//', 'cpu//u', 'cpu/umask=1 /', 'cpu/ umask=1/', '0x1a', '1']
RIGHT = ['cycles,instructions', 'cycles:u,instructions:k', 'page-faults,cpu/event=0x3c/u,r1a:k', 'cycles//u', 'cycles//',
         "cpu/event=0x3c,name='two words'/u", 'cycles/name=abc/', 'cycles/config=0x11/', 'instructions/config1=3/u', 'cs,cs:u',
         'page-faults/config=3/', 'cpu/event=0x3c,umask=0x1,name=a/,instructions', 'cpu/config=0x53/', 'cpu/config=0x53,config1=1,config2=2/',
         'cpu/mem-loads,ldlat=9/u', 'cpu/event=0x3c,event=60/', 'cpu/cycles-t,event=0x3d/', 'Cycles', 'cpu/umask/', 'LLC-loads,LLC-load-misses:u']
TRACEPOINTS = ['sched:sched_switch', 'sched:sched_wakeup', 'syscalls:sys_enter_read', 'sched:nope', 'nope:sched_switch',
               'raw_syscalls:sys_enter', 'sched:', 'sched:sched_switch,cycles', 'irq:softirq_entry']
GROUPS = ['{cycles,instructions}', '{cycles,instructions}:u', '{cycles:k,instructions}:u', '{cycles,instructions}:D',
          'page-faults,{cycles,r1a},cs', '{cycles}', '{cpu/event=0x3c/u,msr/tsc/}', '{cycles,instructions}:uk',
          '{cycles', 'cycles}', '{}', '{cycles,nope}', '{cycles}{cs}', '{{cycles}}', '{cycles,}', '{cycles}:z',
          '{cycles,instructions}:S', '{cycles,instructions}:Su', '{page-faults,cs}:S']
PERFS_OWN = ['dummy', 'bpf-output', 'duration_time', 'user_time', 'system_time', 'dummy:u', 'cycles,duration_time']
PRECISE = ['p', 'pp', 'ppp', 'P', 'up', 'ppk', 'uppp', 'uP', 'pu', 'pkp', 'ppH', 'Gp']
RATES = ['period=1', 'period=1000', 'period=4294967296', 'freq=1', 'freq=99', 'freq=1000', 'period=0x10', 'freq=1k',
         'period=-1', 'freq=x', 'period=1.5', 'period=1k', 'period', 'freq']
LETTERS = 'ukhIGHDe'


def modifiers():
    """Pairs in one order only, but with SOAK=1; longer ones by chance have theirs in any."""
    pairs = itertools.product(LETTERS, repeat=2) if SOAK else itertools.combinations_with_replacement(LETTERS, 2)
    yield from itertools.chain(LETTERS, map(''.join, pairs))


def counted():
    """What stat can be asked for."""
    r = random.Random(13)
    texts = WRONG + RIGHT + RAW + PMU + MEM + HARDWARE + SOFTWARE + CACHES + TRACEPOINTS + GROUPS + PERFS_OWN
    letters = list(modifiers()) + [''.join(r.choices(LETTERS, k=r.choice([3, 4, 5]))) for _ in range(20)]
    for m in letters:
        base = r.choice(HARDWARE + SOFTWARE + CACHES + RAW)
        texts.append(f'{base}:{m}')
    for m in r.sample(letters, 30):
        texts.append(r.choice(PMU) + m)
    for m in r.sample(letters, 15):
        texts.append(f'mem:0x{r.randrange(1, 1 << 40) * 8:x}/{r.choice([1, 2, 4, 8])}:{r.choice(["r", "w", "rw"])}:{m}')
    for _ in range(90 if SOAK else 45):
        terms = [r.choice(some) for some in r.sample(TERMS, r.choice([1, 2, 2, 3, 4]))]
        texts.append(f"cpu/{','.join(terms)}/{r.choice(['', '', 'u', 'k', 'uk', 'H'])}")
    return list(dict.fromkeys(texts))


def sampled():
    """What only record takes to heart."""
    bases = ['cycles', 'page-faults', 'r1a', 'cpu/event=0x3c/', 'L1-dcache-loads', 'cpu/mem-loads/']
    texts = []
    for i, m in enumerate(PRECISE):
        base = bases[i % len(bases)]
        texts.append(base + ('' if base.endswith('/') else ':') + m)
    for i, term in enumerate(RATES):
        base = bases[i % len(bases)]
        texts.append(base[:-1] + f',{term}/u' if base.endswith('/') else f'{base}/{term}/')
    return texts
