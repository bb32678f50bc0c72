// A goroutine CASE calls deep gives way COUNT times, beside a second one that does the same.
package main

import (
	"runtime"
	"strconv"
	"sync"
	"time"

	"charcoal/bench/common"
)

func deeper(below uint64) uint64 {
	return (below ^ 1) + 2
}

//go:noinline
func descend(depth, count int) uint64 {
	if depth > 1 {
		return deeper(descend(depth-1, count))
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
	expected := uint64(count / 2)
	for d := 1; d < depth; d++ {
		expected = deeper(expected)
	}
	common.Expect(answer, 2*expected)
	common.Report("time", float64(elapsed.Nanoseconds())/float64(count), "ns/block+resume", answer)
}
