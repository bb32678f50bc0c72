package common

import (
	"fmt"
	"net"
	"os"
)

// Announce listens at a free port of 127.0.0.1 and says so to the driver, as serve.h does.
func Announce() net.Listener {
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	fmt.Printf("port %d\n", listener.Addr().(*net.TCPAddr).Port)
	return listener
}

// Serve calls `serve` in a goroutine for each connection.
func Serve(listener net.Listener, serve func(net.Conn)) {
	for {
		connection, err := listener.Accept() // Go sets TCP_NODELAY
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		go serve(connection)
	}
}
