// Measures a call, and a goroutine for each call, a hundred at a time. In the case async-yield each goroutine gives way
// once.
package main

import (
	"runtime"
	"sync"
	"time"

	"charcoal/bench/common"
)

const piece = 10000

var sum, never uint64
var wg sync.WaitGroup

//go:noinline
func add(i uint64) {
	if i == never {
		time.Sleep(time.Microsecond)
	}
	sum += i
}

// Only with GOMAXPROCS=1 is there one goroutine at a time at `sum`; so that is how it is run.
func run(name string, from uint64) {
	if name == "call" {
		for i := from; i < from+piece; i++ {
			add(i)
		}
		return
	}
	for batch := from; batch < from+piece; batch += 100 {
		wg.Add(100)
		for i := batch; i < batch+100; i++ {
			if name == "async" {
				go func(i uint64) {
					add(i)
					wg.Done()
				}(i)
			} else {
				go func(i uint64) {
					runtime.Gosched()
					add(i)
					wg.Done()
				}(i)
			}
		}
		wg.Wait()
	}
}

func main() {
	name, n := common.Arguments()
	runtime.GOMAXPROCS(1)
	count := uint64(n) / piece * piece
	never = count + 1
	if name != "call" && name != "async" && name != "async-yield" {
		common.UnknownCase(name)
	}
	var best time.Duration
	for from := uint64(0); from < count; from += piece {
		start := time.Now()
		run(name, from)
		elapsed := time.Since(start)
		if from == 0 || elapsed < best {
			best = elapsed
		}
	}
	common.Expect(sum, count*(count-1)/2)
	common.Report("time", float64(best.Nanoseconds())/piece, "ns/call", sum)
}
