// Package common is what every Go benchmark program shares: see measure.h.
package common

import (
	"fmt"
	"os"
	"strconv"
)

// Arguments returns CASE and COUNT.
func Arguments() (string, int) {
	if len(os.Args) != 3 {
		fmt.Fprintf(os.Stderr, "usage: %s CASE COUNT\n", os.Args[0])
		os.Exit(2)
	}
	count, err := strconv.Atoi(os.Args[2])
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	return os.Args[1], count
}

// UnknownCase ends the program.
func UnknownCase(name string) {
	fmt.Fprintf(os.Stderr, "unknown case '%s'\n", name)
	os.Exit(2)
}

// ResidentBytes of this process, pages shared with files included.
func ResidentBytes() float64 {
	var total, resident int
	text, err := os.ReadFile("/proc/self/statm")
	if err == nil {
		_, err = fmt.Sscan(string(text), &total, &resident)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "cannot read /proc/self/statm:", err)
		os.Exit(1)
	}
	return float64(resident) * 4096
}

// Expect ends the program unless the answer is right.
func Expect(answer, expected uint64) {
	if answer != expected {
		fmt.Fprintf(os.Stderr, "wrong answer: %d, expected %d\n", answer, expected)
		os.Exit(1)
	}
}

// Report prints the one line.
func Report(metric string, value float64, unit string, answer uint64) {
	fmt.Printf("{\"metric\": %q, \"value\": %.6g, \"unit\": %q, \"check\": \"%d\"}\n", metric, value, unit, answer)
}
