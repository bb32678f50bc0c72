// A producer and a consumer select over N channels each (paper 003, section 5.8). CASE is N: over channels without
// room; N-else: with room for 128, and a side that finds no channel ready gives way; N-2dom: as N, but the goroutines
// may run on two cores. overlap and overlap-fair are the same here, because Go chooses at random among the channels
// that are ready. others.h describes mixed.
package main

import (
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"

	"charcoal/bench/common"
)

var c [8]chan int

func send(n int, x int) {
	switch n {
	case 2:
		select {
		case c[0] <- x:
		case c[1] <- x:
		}
	case 4:
		select {
		case c[0] <- x:
		case c[1] <- x:
		case c[2] <- x:
		case c[3] <- x:
		}
	default:
		select {
		case c[0] <- x:
		case c[1] <- x:
		case c[2] <- x:
		case c[3] <- x:
		case c[4] <- x:
		case c[5] <- x:
		case c[6] <- x:
		case c[7] <- x:
		}
	}
}

func receive(n int) (x int) {
	switch n {
	case 2:
		select {
		case x = <-c[0]:
		case x = <-c[1]:
		}
	case 4:
		select {
		case x = <-c[0]:
		case x = <-c[1]:
		case x = <-c[2]:
		case x = <-c[3]:
		}
	default:
		select {
		case x = <-c[0]:
		case x = <-c[1]:
		case x = <-c[2]:
		case x = <-c[3]:
		case x = <-c[4]:
		case x = <-c[5]:
		case x = <-c[6]:
		case x = <-c[7]:
		}
	}
	return
}

func trySend(n int, x int) bool {
	switch n {
	case 2:
		select {
		case c[0] <- x:
			return true
		case c[1] <- x:
			return true
		default:
			return false
		}
	case 4:
		select {
		case c[0] <- x:
			return true
		case c[1] <- x:
			return true
		case c[2] <- x:
			return true
		case c[3] <- x:
			return true
		default:
			return false
		}
	default:
		select {
		case c[0] <- x:
			return true
		case c[1] <- x:
			return true
		case c[2] <- x:
			return true
		case c[3] <- x:
			return true
		case c[4] <- x:
			return true
		case c[5] <- x:
			return true
		case c[6] <- x:
			return true
		case c[7] <- x:
			return true
		default:
			return false
		}
	}
}

func tryReceive(n int) (int, bool) {
	switch n {
	case 2:
		select {
		case x := <-c[0]:
			return x, true
		case x := <-c[1]:
			return x, true
		default:
			return 0, false
		}
	case 4:
		select {
		case x := <-c[0]:
			return x, true
		case x := <-c[1]:
			return x, true
		case x := <-c[2]:
			return x, true
		case x := <-c[3]:
			return x, true
		default:
			return 0, false
		}
	default:
		select {
		case x := <-c[0]:
			return x, true
		case x := <-c[1]:
			return x, true
		case x := <-c[2]:
			return x, true
		case x := <-c[3]:
			return x, true
		case x := <-c[4]:
			return x, true
		case x := <-c[5]:
			return x, true
		case x := <-c[6]:
			return x, true
		case x := <-c[7]:
			return x, true
		default:
			return 0, false
		}
	}
}

// P1 and C1 select A or B, P2 and C2 use B alone.
func overlap(count int) uint64 {
	a, b, sums := make(chan int), make(chan int), make(chan uint64)
	var sending sync.WaitGroup
	sending.Add(2)
	each := count / 2
	go func() {
		for i := 0; i < each; i++ {
			select {
			case a <- i:
			case b <- i:
			}
		}
		sending.Done()
	}()
	go func() {
		for i := 0; i < each; i++ {
			b <- i
		}
		sending.Done()
	}()
	go func() {
		sum := uint64(0)
		for x, ok := 0, true; ok; sum += uint64(x) {
			select {
			case x, ok = <-a:
			case x, ok = <-b:
			}
		}
		sums <- sum
	}()
	go func() {
		sum := uint64(0)
		for x := range b {
			sum += uint64(x)
		}
		sums <- sum
	}()
	sending.Wait()
	close(a)
	close(b)
	sum := <-sums + <-sums
	common.Expect(sum, uint64(each)*uint64(each-1))
	return sum
}

// A message, a timer, and what stands for a descriptor and a lock in Go: channels that others send to.
func mixed(count int) uint64 {
	messages, bytes, lock := make(chan int), make(chan byte), make(chan struct{}, 1)
	lock <- struct{}{}
	go func() {
		for i := 0; i < count; i++ {
			messages <- i
		}
	}()
	sum := uint64(0)
	for i := 0; i < count; i++ {
		timer := time.NewTimer(1000 * time.Second)
		select {
		case x := <-messages:
			sum += uint64(x)
		case <-timer.C:
		case <-bytes:
		case lock <- struct{}{}:
		}
		timer.Stop()
	}
	common.Expect(sum, uint64(count)*uint64(count-1)/2)
	return sum
}

func main() {
	name, count := common.Arguments()
	if name == "mixed" || strings.HasPrefix(name, "overlap") {
		start, measured := time.Now(), overlap
		if name == "mixed" {
			measured = mixed
		}
		sum := measured(count)
		common.Report("time", float64(time.Since(start).Nanoseconds())/float64(count), "ns/message", sum)
		return
	}
	number, kind, _ := strings.Cut(name, "-")
	n, err := strconv.Atoi(number)
	if err != nil || (n != 2 && n != 4 && n != 8) || (kind != "" && kind != "else" && kind != "2dom") {
		common.UnknownCase(name)
	}
	room := 0
	if kind == "else" {
		room = 128
	}
	for k := 0; k < n; k++ {
		c[k] = make(chan int, room)
	}
	start, sum := time.Now(), uint64(0)
	go func() {
		for i := 0; i < count; i++ {
			if kind == "else" {
				for !trySend(n, i) {
					runtime.Gosched()
				}
			} else {
				send(n, i)
			}
		}
	}()
	for i := 0; i < count; i++ {
		if kind == "else" {
			x, ok := tryReceive(n)
			for !ok {
				runtime.Gosched()
				x, ok = tryReceive(n)
			}
			sum += uint64(x)
		} else {
			sum += uint64(receive(n))
		}
	}
	elapsed := time.Since(start)
	common.Expect(sum, uint64(count)*uint64(count-1)/2)
	common.Report("time", float64(elapsed.Nanoseconds())/float64(count), "ns/message", sum)
}
