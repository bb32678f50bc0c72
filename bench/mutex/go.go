// A mutex guards a counter. charcoal.c describes the cases.
package main

import (
	"runtime"
	"sync"
	"time"

	"charcoal/bench/common"
)

var lock sync.Mutex
var counter int

func countUp(times int, givesWay bool) {
	for i := 0; i < times; i++ {
		lock.Lock()
		was := counter
		if givesWay {
			runtime.Gosched()
		}
		counter = was + 1
		lock.Unlock()
	}
}

func main() {
	name, count := common.Arguments()
	many, ok := map[string]int{"free": 1, "contended": 8, "contended-2dom": 2}[name]
	if !ok {
		common.UnknownCase(name)
	}
	start := time.Now()
	var all sync.WaitGroup
	all.Add(many)
	for i := 0; i < many; i++ {
		go func() {
			countUp(count/many, name == "contended")
			all.Done()
		}()
	}
	all.Wait()
	elapsed := time.Since(start)
	common.Expect(uint64(counter), uint64(count))
	common.Report("time", float64(elapsed.Nanoseconds())/float64(count), "ns/lock", uint64(counter))
}
