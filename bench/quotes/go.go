// One goroutine for each client, which sleeps and writes in a loop.
package main

import (
	"charcoal/bench/common"
	"encoding/binary"
	"net"
	"time"
)

func serve(client net.Conn) {
	defer client.Close()
	var quote [32]byte
	copy(quote[:], "CHARCOAL")
	next := time.Now()
	for number := uint64(0); ; number++ {
		binary.LittleEndian.PutUint64(quote[8:], number)
		binary.LittleEndian.PutUint64(quote[16:], number*0x9E3779B97F4A7C15)
		binary.LittleEndian.PutUint64(quote[24:], number^0x5555)
		if _, err := client.Write(quote[:]); err != nil {
			return
		}
		next = next.Add(time.Second)
		time.Sleep(time.Until(next))
	}
}

func main() { common.Serve(common.Announce(), serve) }
