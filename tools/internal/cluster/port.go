package cluster

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
)

// Servers that are killed and started again need a port that nobody takes meanwhile, so ports come from below the range that
// the kernel gives to clients.
const (
	firstPort = 12000
	lastPort  = 31000
)

var portsGiven atomic.Int64

// freePort gives a port of loopback that nobody listens on, and no port twice.
func freePort() (int, error) {
	span := int64(lastPort - firstPort)
	for range span {
		// Two processes that do this at the same time begin at different places.
		port := firstPort + int((int64(os.Getpid())*97+portsGiven.Add(1))%span)
		ln, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		return port, ln.Close()
	}
	return 0, fmt.Errorf("find a port: none between %d and %d is free", firstPort, lastPort)
}

func freeAddress() (string, error) {
	port, err := freePort()
	return fmt.Sprintf("127.0.0.1:%d", port), err
}
