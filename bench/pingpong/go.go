// Two goroutines on two cores and two buffered channels. There is only the case `domains`.
package main

import (
	"time"

	"charcoal/bench/common"
)

const batch = 1000

type message [7]uint64

func main() {
	name, n := common.Arguments()
	if name != "domains" {
		common.UnknownCase(name)
	}
	ping, pong := make(chan message, 16), make(chan message, 16)
	go func() {
		for m := range ping {
			m[0] = m[0]*3 + 1
			pong <- m
		}
	}()
	var best time.Duration
	start, sum, count := time.Now(), uint64(0), uint64(n)
	for i := uint64(0); i < count; i++ {
		ping <- message{i}
		m := <-pong
		sum += m[0]
		if (i+1)%batch == 0 {
			elapsed := time.Since(start)
			if best == 0 || elapsed < best {
				best = elapsed
			}
			start = time.Now()
		}
	}
	common.Expect(sum, 3*(count*(count-1)/2)+count)
	common.Report("time", float64(best.Nanoseconds())/batch, "ns/round trip", sum)
}
