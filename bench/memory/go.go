// COUNT goroutines wait to receive, all from one channel (parked) or each from its own (ring).
package main

import (
	"runtime"
	"sync/atomic"

	"charcoal/bench/common"
)

func main() {
	name, count := common.Arguments()
	if name != "parked" && name != "ring" {
		common.UnknownCase(name)
	}
	passed, waiting := int64(0), int64(0)
	done := make(chan struct{})
	runtime.GC()
	before := common.ResidentBytes()
	var links []chan struct{}
	parked := make(chan struct{})
	if name == "ring" {
		links = make([]chan struct{}, count)
		for i := range links {
			links[i] = make(chan struct{})
		}
		for i := 0; i < count; i++ {
			go func(i int) {
				atomic.AddInt64(&waiting, 1)
				<-links[i]
				passed++ // whoever holds the token is alone
				if i+1 < count {
					links[i+1] <- struct{}{}
				} else {
					close(done)
				}
			}(i)
		}
	} else {
		for i := 0; i < count; i++ {
			go func() {
				atomic.AddInt64(&waiting, 1)
				<-parked
				if atomic.AddInt64(&passed, 1) == int64(count) {
					close(done)
				}
			}()
		}
	}
	for atomic.LoadInt64(&waiting) < int64(count) {
		runtime.Gosched()
	}
	for i := 0; i < 100; i++ { // let the last of them reach its receive
		runtime.Gosched()
	}
	runtime.GC()
	bytes := common.ResidentBytes() - before
	if name == "ring" {
		links[0] <- struct{}{}
	} else {
		for i := 0; i < count; i++ {
			parked <- struct{}{}
		}
	}
	<-done
	common.Expect(uint64(passed), uint64(count))
	common.Report("memory", bytes/float64(count), "bytes/activity", uint64(passed))
}
