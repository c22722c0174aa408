package toolbin

import (
	"fmt"
	"net"
	"os"
	"strconv"
	"sync/atomic"
)

// A program is told its port before it listens there, and one that is killed and started again
// leaves it for a while. So ports come from below the range that the kernel gives to clients and to
// those who listen anywhere: nobody takes one meanwhile.
const (
	firstPort = 12000
	lastPort  = 31000
)

// portsGiven is of the whole process, as ports are of the whole machine.
var portsGiven atomic.Int64

// FreePort gives a port of loopback that nobody listens on, and no port twice.
func FreePort() (int, error) {
	span := int64(lastPort - firstPort)
	for range span {
		// Two processes that do this at the same time begin at different places.
		port := firstPort + int((int64(os.Getpid())*97+portsGiven.Add(1))%span)
		ln, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
		if err != nil {
			continue
		}
		return port, ln.Close()
	}
	return 0, fmt.Errorf("find a port: none between %d and %d is free", firstPort, lastPort)
}

// FreeAddress is 127.0.0.1 with a port of FreePort.
func FreeAddress() (string, error) {
	port, err := FreePort()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(port)), err
}
