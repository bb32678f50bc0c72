// One goroutine for each connection, which reads and writes in a loop.
package main

import (
	"charcoal/bench/common"
	"net"
)

func serve(connection net.Conn) {
	defer connection.Close()
	var text [256]byte
	for {
		got, err := connection.Read(text[:])
		if err != nil {
			return
		}
		if _, err := connection.Write(text[:got]); err != nil {
			return
		}
	}
}

func main() { common.Serve(common.Announce(), serve) }
