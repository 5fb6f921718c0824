// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause

// goroutines N: four goroutines that call handle N times each, and one that keeps a thread busy.
//
// Known answer: 4 x N calls of handle, of which each hundredth is in slowPart for all but nothing
// of its time, twice, and on two threads; 4 x N of grow from outside, and 30 times as many inside
// of them, amid which stacks are copied; 4 x N of risky, of which each third is left by a panic.
//
// goroutines left|ended N: N calls of broken, which a panic leaves, or the end of its goroutine, at
// once; after each 5 ms in unrelated, no less deep, and then in broken itself.
//
// goroutines parked N: N calls of broken, in as many goroutines, that go on when the process ends.
//
// goroutines exec N: goes on as "goroutines unrelated N" from amid broken; that one does the same
// but for leaving, 5 ms in broken twice each time, and before that N times 5 ms in unrelated.
//
// goroutines faults N: four goroutines that call touched N times each, which writes to 7 pages that
// nobody had, amid which it gives its thread up twice, and is paused for each tenth time; 5 more
// pages between two calls; and one that does nothing but write to pages and give its thread up.
//
// Says "slow SLOW moved MOVED", of the calls of handle: those that took 20 ms and more, by its own
// clock, and those that ended on another thread than they began on.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

var moved, slow int64
var over int32
var allIn sync.WaitGroup

//go:noinline
func spin(ns time.Duration) int {
	x, end := 0, time.Now().Add(ns)
	for time.Now().Before(end) {
		for i := 0; i < 20000; i++ {
			x ^= i
		}
	}
	return x
}

//go:noinline
func slowPart() int { return spin(15*time.Millisecond) + 1 }

//go:noinline
func grow(depth int) int {
	var room [128]int
	room[depth] = depth
	if depth == 0 {
		return 1
	}
	return grow(depth-1) + room[depth]
}

//go:noinline
func risky(i int) int {
	if i%3 == 0 {
		panic("risky")
	}
	return i
}

//go:noinline
func careful(i int) (ret int) {
	defer func() { recover() }()
	return risky(i) + 1
}

// Comes back on another thread, if that can be had within two seconds.
func move() {
	before, end := syscall.Gettid(), time.Now().Add(2*time.Second)
	for syscall.Gettid() == before && time.Now().Before(end) {
		time.Sleep(100 * time.Microsecond)
		runtime.Gosched()
	}
}

//go:noinline
func handle(i int) int {
	x := spin(20 * time.Microsecond)
	if i%100 == 0 {
		x += slowPart()
		move()
		x += slowPart()
	}
	return x
}

func measured(i int) {
	thread, begin := syscall.Gettid(), time.Now()
	handle(i)
	if time.Since(begin) >= 20*time.Millisecond {
		atomic.AddInt64(&slow, 1)
	}
	if syscall.Gettid() != thread {
		atomic.AddInt64(&moved, 1)
	}
}

//go:noinline
func unrelated(depth int) uint64 {
	var room [256]uint64
	if depth > 0 {
		return unrelated(depth-1) + room[depth]
	}
	for end := time.Now().Add(5 * time.Millisecond); time.Now().Before(end); {
		for i := 0; i < 20000; i++ {
			room[i%256] += uint64(i)
		}
	}
	return room[3]
}

//go:noinline
func broken(how string) {
	switch how {
	case "left":
		panic("left")
	case "parked":
		allIn.Done()
		select {}
	case "ended":
		runtime.Goexit()
	case "exec":
		syscall.Exec(os.Args[0], []string{os.Args[0], "unrelated", os.Args[2]}, os.Environ())
	default:
		spin(5 * time.Millisecond)
	}
}

//go:noinline
func guarded(how string) {
	defer func() { recover() }()
	broken(how)
}

// The next goroutine has the place of the one that has just ended.
func inGoroutine(do func()) {
	over := make(chan int)
	go func() {
		defer close(over)
		do()
	}()
	<-over
}

func park(n int) {
	allIn.Add(n)
	for i := 0; i < n; i++ {
		go broken("parked")
	}
	allIn.Wait()
}

const page = 4096

type pages []byte

// Of the system's own: no page is another's, or has been written to.
func newPages(n int) pages {
	mem, err := syscall.Mmap(-1, 0, n*page, syscall.PROT_READ|syscall.PROT_WRITE,
		syscall.MAP_PRIVATE|syscall.MAP_ANON)
	if err != nil {
		panic(err)
	}
	// not two megabytes at once
	syscall.Madvise(mem, 15 /* MADV_NOHUGEPAGE */)
	return mem
}

func (p *pages) write(n int) {
	for i := 0; i < n; i++ {
		(*p)[0] = 1
		*p = (*p)[page:]
	}
}

//go:noinline
func touched(i int, mem *pages) {
	mem.write(3)
	runtime.Gosched()
	mem.write(2)
	if i%10 == 0 {
		time.Sleep(50 * time.Microsecond)
	}
	mem.write(1)
	runtime.Gosched()
	mem.write(1)
}

//go:noinline
func first[T any](list []T) T { return list[0] }

//go:noinline
func others(n int) {
	mem := newPages(n)
	for len(mem) > 0 && atomic.LoadInt32(&over) == 0 {
		mem.write(1)
		runtime.Gosched()
	}
}

func fault(n int) {
	var all sync.WaitGroup
	debug.SetGCPercent(-1)
	go others(100000)
	for g := 0; g < 4; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			mem := newPages(n * 12)
			time.Sleep(time.Millisecond)
			for i := 0; i < n; i++ {
				touched(i, &mem)
				mem.write(5)
			}
		}()
	}
	all.Wait()
	atomic.StoreInt32(&over, int32(first([]int{1})+len(first([]string{""}))))
}

func breakOff(how string, n int) {
	for i := 0; i < n; i++ {
		if how == "ended" {
			inGoroutine(func() { broken(how) })
			inGoroutine(func() { unrelated(1) })
		} else {
			guarded(how)
			unrelated(1)
		}
		broken("not")
	}
}

func main() {
	if len(os.Args) > 2 {
		n, _ := strconv.Atoi(os.Args[2])
		if os.Args[1] == "parked" {
			park(n)
			return
		}
		if os.Args[1] == "faults" {
			fault(n)
			return
		}
		for i := 0; os.Args[1] == "unrelated" && i < n; i++ {
			unrelated(2)
		}
		breakOff(os.Args[1], n)
		return
	}
	n, _ := strconv.Atoi(os.Args[1])
	var all sync.WaitGroup
	go func() {
		for atomic.LoadInt32(&over) == 0 {
			spin(time.Millisecond)
			runtime.Gosched()
		}
	}()
	for g := 0; g < 4; g++ {
		all.Add(1)
		go func() {
			defer all.Done()
			for i := 1; i <= n; i++ {
				measured(i)
				grow(30)
				careful(i)
			}
		}()
	}
	all.Wait()
	atomic.StoreInt32(&over, 1)
	os.Stdout.WriteString("slow " + strconv.FormatInt(slow, 10) + " moved " +
		strconv.FormatInt(moved, 10) + "\n")
}
