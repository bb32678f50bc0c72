// The case domains-N with goroutines: each participant has a channel in each direction. The initiator sends all
// proposals, and then receives all votes.
package main

import (
	"strconv"
	"strings"
	"time"

	"charcoal/bench/common"
)

const batch = 200

type message struct {
	kind   int
	number uint64
	yes    bool
}

const (
	proposal = iota
	commit
	abort
	end
)

func votesYes(operation uint64, i int) bool {
	return (operation*0x9E3779B97F4A7C15>>32)%64 != uint64(i)
}

func serve(index int, in <-chan message, out chan<- message) {
	var proposed, sum uint64
	for m := range in {
		switch m.kind {
		case proposal:
			proposed = m.number
			out <- message{number: m.number, yes: votesYes(m.number, index)}
		case commit:
			sum += proposed
		case end:
			out <- message{number: sum}
		}
	}
}

func main() {
	name, c := common.Arguments()
	n, err := strconv.Atoi(strings.TrimPrefix(name, "domains-"))
	if err != nil {
		common.UnknownCase(name)
	}
	count, sum, right := uint64(c), uint64(0), uint64(0)
	in, out := make([]chan message, n), make([]chan message, n)
	for i := range in {
		in[i], out[i] = make(chan message, 4), make(chan message, 4)
		go serve(i, in[i], out[i])
	}
	var best time.Duration
	start := time.Now()
	for number := uint64(1); number <= count; number++ {
		all := true
		for i := range in {
			in[i] <- message{kind: proposal, number: number}
		}
		for i := range out {
			all = (<-out[i]).yes && all
		}
		outcome := message{kind: abort, number: number}
		if all {
			outcome.kind = commit
			right += number * uint64(n)
		}
		for i := range in {
			in[i] <- outcome
		}
		if number%batch == 0 {
			elapsed := time.Since(start)
			if best == 0 || elapsed < best {
				best = elapsed
			}
			start = time.Now()
		}
	}
	for i := range in {
		in[i] <- message{kind: end}
		sum += (<-out[i]).number
	}
	common.Expect(sum, right)
	common.Report("time", float64(best.Nanoseconds())/batch, "ns/operation", sum)
}
