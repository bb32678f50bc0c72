// One goroutine for each connection: read, write, again.
package main

import (
	"fmt"
	"net"
	"os"
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

func main() {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	for {
		connection, err := listener.Accept() // Go sets TCP_NODELAY
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go serve(connection)
	}
}
