// Only GET and SET: a goroutine for each connection, and a map with a lock. Replies are flushed when no command waits.
package main

import (
	"bufio"
	"charcoal/bench/common"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
)

var (
	lock   sync.RWMutex
	values = map[string][]byte{}
)

// The number in a line such as "$64".
func number(in *bufio.Reader, kind byte) (int, error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 4 || line[0] != kind {
		return 0, fmt.Errorf("no %c", kind)
	}
	n := 0
	for _, digit := range line[1 : len(line)-2] {
		n = n*10 + int(digit-'0')
	}
	return n, nil
}

func text(in *bufio.Reader) ([]byte, error) {
	size, err := number(in, '$')
	if err != nil {
		return nil, err
	}
	found := make([]byte, size+2)
	_, err = io.ReadFull(in, found)
	return found[:size], err
}

// The arguments of the next command, in `held`.
func command(in *bufio.Reader, held [][]byte) ([][]byte, error) {
	count, err := number(in, '*')
	for held = held[:0]; err == nil && len(held) < count; {
		var next []byte
		next, err = text(in)
		held = append(held, next)
	}
	return held, err
}

func execute(words [][]byte, out *bufio.Writer) {
	switch {
	case len(words) == 3 && string(words[0]) == "SET":
		lock.Lock()
		values[string(words[1])] = words[2]
		lock.Unlock()
		out.WriteString("+OK\r\n")
	case len(words) == 2 && string(words[0]) == "GET":
		lock.RLock()
		found, ok := values[string(words[1])]
		lock.RUnlock()
		if !ok {
			out.WriteString("$-1\r\n")
			return
		}
		var head [24]byte
		out.Write(append(strconv.AppendInt(append(head[:0], '$'), int64(len(found)), 10), "\r\n"...))
		out.Write(found)
		out.WriteString("\r\n")
	default:
		out.WriteString("-ERR unknown command\r\n")
	}
}

func serve(connection net.Conn) {
	defer connection.Close()
	in, out := bufio.NewReaderSize(connection, 16384), bufio.NewWriterSize(connection, 16384)
	var words [][]byte
	for {
		var err error
		if words, err = command(in, words); err != nil {
			return
		}
		execute(words, out)
		if in.Buffered() == 0 && out.Flush() != nil {
			return
		}
	}
}

func main() {
	common.Serve(common.Announce(), serve)
}
