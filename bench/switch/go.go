// CASE goroutines give way with runtime.Gosched, COUNT times in all, after the gate at which they wait has opened.
package main

import (
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"charcoal/bench/common"
)

func main() {
	name, count := common.Arguments()
	tasks, err := strconv.Atoi(name)
	if err != nil {
		common.UnknownCase(name)
	}
	rounds := count / tasks
	var switches int64
	var done sync.WaitGroup
	done.Add(tasks)
	gate := make(chan struct{})
	for i := 0; i < tasks; i++ {
		go func() {
			<-gate
			mine := int64(1)
			for r := 0; r < rounds; r++ {
				runtime.Gosched()
				mine++
			}
			atomic.AddInt64(&switches, mine)
			done.Done()
		}()
	}
	start := time.Now()
	close(gate)
	done.Wait()
	elapsed := time.Since(start)
	common.Expect(uint64(switches), uint64(tasks*(rounds+1)))
	common.Report("time", float64(elapsed.Nanoseconds())/float64(tasks*(rounds+1)), "ns/switch", uint64(switches))
}
