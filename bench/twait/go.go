// Measures fork and join: a goroutine for each turn.
package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"
)

const turns = 100

func main() {
	if len(os.Args) != 3 || os.Args[1] != "threads" {
		fmt.Fprintf(os.Stderr, "unknown case '%s'\n", os.Args[1])
		os.Exit(2)
	}
	count, _ := strconv.Atoi(os.Args[2])
	var pieces []float64
	done, sum, finished := 0, 0.0, make(chan struct{})
	for done < count/turns*turns {
		begin := time.Now()
		for i := 0; i < turns; i++ {
			go func() {
				done++
				finished <- struct{}{}
			}()
			<-finished
		}
		pieces = append(pieces, float64(time.Since(begin).Nanoseconds())/turns)
		sum += pieces[len(pieces)-1]
	}
	sort.Float64s(pieces)
	fmt.Printf("{\"metric\": \"time\", \"value\": %.6g, \"unit\": \"ns\", \"check\": \"%d\", \"more\": ["+
		"{\"metric\": \"median\", \"value\": %.6g, \"unit\": \"ns\"}, "+
		"{\"metric\": \"mean\", \"value\": %.6g, \"unit\": \"ns\"}]}\n",
		pieces[0], done, pieces[len(pieces)/2], sum/float64(len(pieces)))
}
