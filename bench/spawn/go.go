// Starts a goroutine that does one addition and waits for its end, COUNT times.
package main

import (
	"sync"
	"time"

	"charcoal/bench/common"
)

func main() {
	_, count := common.Arguments()
	sum := uint64(0)
	var wg sync.WaitGroup
	start := time.Now()
	for i := 0; i < count; i++ {
		wg.Add(1)
		go func(i int) {
			sum += uint64(i)
			wg.Done()
		}(i)
		wg.Wait()
	}
	elapsed := time.Since(start)
	common.Expect(sum, uint64(count)*uint64(count-1)/2)
	common.Report("time", float64(elapsed.Nanoseconds())/float64(count), "ns/spawn+join", sum)
}
