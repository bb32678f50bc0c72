// Makes the calls of paper 001's figure 10 in Go, where any call may be interrupted.
package main

import (
	"time"

	"charcoal/bench/common"
)

//go:noinline
func f(d int, x uint32) uint32 {
	if d > 0 {
		return f(d-1, f(d-1, x))
	}
	return x*5 + 3
}

func leafRepeated(times uint64, x uint32) uint32 {
	a, b, result := uint32(5), uint32(3), x
	for ; times != 0; times >>= 1 {
		if times&1 != 0 {
			result = a*result + b
		}
		b = a*b + b
		a = a * a
	}
	return result
}

func main() {
	_, depth := common.Arguments()
	var answer uint32
	var best time.Duration
	for i := 0; i < 16; i++ {
		start := time.Now()
		answer = f(depth, 1)
		elapsed := time.Since(start)
		if i == 0 || elapsed < best {
			best = elapsed
		}
		common.Expect(uint64(answer), uint64(leafRepeated(1<<depth, 1)))
	}
	common.Report("time", float64(best.Nanoseconds())/float64((uint64(2)<<depth)-1), "ns/call", uint64(answer))
}
