// The plain loop in Go, which is interrupted by a signal, so that nothing has to be added to the loop.
package main

import (
	"time"

	"charcoal/bench/common"
)

const length = 1 << 20

//go:noinline
func compare(s1, s2 []byte) int {
	i := 0
	for s1[i] != 0 && s1[i] == s2[i] {
		i++
	}
	return int(s1[i]) - int(s2[i])
}

func main() {
	_, count := common.Arguments()
	s1, s2 := make([]byte, length+1), make([]byte, length+1)
	for i := 0; i < length; i++ {
		s1[i] = byte('a' + i%26)
		s2[i] = s1[i]
	}
	equal := uint64(0)
	var best time.Duration
	for i := 0; i < count; i++ {
		start := time.Now()
		if compare(s1, s2) == 0 {
			equal++
		}
		elapsed := time.Since(start)
		if i == 0 || elapsed < best {
			best = elapsed
		}
	}
	common.Expect(equal, uint64(count))
	s2[length-1]++
	if compare(s1, s2) >= 0 {
		common.Expect(1, 0)
	}
	common.Report("time", float64(best.Nanoseconds())/1000, "us/strcmp", equal)
}
