// A producer and a consumer select over N channels each (paper 003, section 5.8). CASE: N, over channels without room; N-else: with
// room for 128, and giving way when none is ready; N-2dom: as N, the goroutines free to run on two cores.
package main

import (
	"runtime"
	"strconv"
	"strings"
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
		case c[1] <- x:
		default:
			return false
		}
	case 4:
		select {
		case c[0] <- x:
		case c[1] <- x:
		case c[2] <- x:
		case c[3] <- x:
		default:
			return false
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
		default:
			return false
		}
	}
	return true
}

func tryReceive(n int) (x int, ok bool) {
	ok = true
	switch n {
	case 2:
		select {
		case x = <-c[0]:
		case x = <-c[1]:
		default:
			ok = false
		}
	case 4:
		select {
		case x = <-c[0]:
		case x = <-c[1]:
		case x = <-c[2]:
		case x = <-c[3]:
		default:
			ok = false
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
		default:
			ok = false
		}
	}
	return
}

func main() {
	name, count := common.Arguments()
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
