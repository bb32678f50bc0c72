// A goroutine CASE calls deep gives way COUNT times, beside a second one that does the same.
package main

import (
	"runtime"
	"strconv"
	"sync"
	"time"

	"charcoal/bench/common"
)

//go:noinline
func descend(depth, count int) uint64 {
	if depth > 1 {
		return descend(depth-1, count) + 1
	}
	blocked := uint64(0)
	for i := 0; i < count; i++ {
		runtime.Gosched()
		blocked++
	}
	return blocked
}

func main() {
	name, count := common.Arguments()
	depth, err := strconv.Atoi(name)
	if err != nil {
		common.UnknownCase(name)
	}
	var answers [2]uint64
	var done sync.WaitGroup
	done.Add(2)
	start := time.Now()
	for k := range answers {
		go func(k int) {
			answers[k] = descend(depth, count/2)
			done.Done()
		}(k)
	}
	done.Wait()
	elapsed := time.Since(start)
	answer := answers[0] + answers[1]
	common.Expect(answer, uint64(2*(count/2+depth-1)))
	common.Report("time", float64(elapsed.Nanoseconds())/float64(count), "ns/block+resume", answer)
}
