// One goroutine for each client: sleep, write, again.
package main

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
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

func main() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	for {
		client, err := listener.Accept() // Go sets TCP_NODELAY
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go serve(client)
	}
}
