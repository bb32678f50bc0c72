// Measures channels; charcoal.c describes the cases. buffered-2dom runs the same program as buffered, because Go may
// run its goroutines on several cores in both.
package main

import (
	"fmt"
	"os"
	"time"

	"charcoal/bench/common"
)

// room is what each channel has room for.
func sky(out chan<- uint64, first, size uint64, room int) {
	if size == 1 {
		out <- first
		return
	}
	sums, sum := make(chan uint64, room), uint64(0)
	for i := uint64(0); i < 10; i++ {
		go sky(sums, first+i*(size/10), size/10, room)
	}
	for i := 0; i < 10; i++ {
		sum += <-sums
	}
	out <- sum
}

func filter(in <-chan uint64, out chan<- uint64, prime uint64) {
	for x := range in {
		if x%prime != 0 {
			out <- x
		}
	}
}

func main() {
	name, n := common.Arguments()
	count, sum := uint64(n), uint64(0)
	start := time.Now()
	switch name {
	case "pingpong":
		there, back := make(chan uint64), make(chan uint64)
		go func() {
			for x := range there {
				back <- 3*x + 1
			}
		}()
		for i := uint64(0); i < count; i++ {
			there <- i
			sum += <-back
		}
		common.Expect(sum, 3*(count*(count-1)/2)+count)
	case "buffered", "buffered-2dom":
		c := make(chan uint64, 128)
		go func() {
			for i := uint64(0); i < count; i++ {
				c <- i
			}
		}()
		for i := uint64(0); i < count; i++ {
			sum += <-c
		}
		common.Expect(sum, count*(count-1)/2)
	case "skynet", "skynet-async":
		size := count
		for size > 1 && size%10 == 0 {
			size /= 10
		}
		if size != 1 {
			fmt.Fprintln(os.Stderr, "the number of leaves has to be a power of ten")
			os.Exit(2)
		}
		c, room := make(chan uint64), 0
		if name == "skynet-async" {
			room = 10
		}
		go sky(c, 0, count, room)
		sum = <-c
		common.Expect(sum, count*(count-1)/2)
	case "ring":
		links := make([]chan uint64, count+1)
		links[0] = make(chan uint64)
		for i := range links[1:] {
			links[i+1] = make(chan uint64)
			go func(in <-chan uint64, out chan<- uint64) {
				out <- <-in + 1
			}(links[i], links[i+1])
		}
		links[0] <- 0
		sum = <-links[count]
		common.Expect(sum, count)
	case "sieve":
		c := make(chan uint64)
		go func(c chan<- uint64) {
			for i := uint64(2); ; i++ {
				c <- i
			}
		}(c)
		for i := uint64(0); i < count; i++ {
			prime := <-c
			sum += prime
			next := make(chan uint64)
			go filter(c, next, prime)
			c = next
		}
	default:
		common.UnknownCase(name)
	}
	common.Report("time", float64(time.Since(start).Nanoseconds())/float64(count), "ns", sum)
}
