package queue

import (
	"fmt"
	"strings"

	"github.com/nats-io/nats.go"
)

// Versions of the NATS server, as major × 1000 + minor.
const (
	// oldestServer has keys with a time to live of their own.
	oldestServer = 2011
	// oldestInCluster keeps the messages of replicated work queues when a leader changes.
	oldestInCluster = 2014
)

// checkServer refuses a server that loses messages of work queues. It sees only the server of its
// own connection; operators keep the servers of a cluster at one version.
func checkServer(nc *nats.Conn) error {
	if nc == nil {
		return nil
	}
	return checkVersion(nc.ConnectedServerVersion(), nc.ConnectedClusterName() != "")
}

func checkVersion(version string, cluster bool) error {
	var major, minor int
	if n, _ := fmt.Sscanf(strings.TrimPrefix(version, "v"), "%d.%d", &major, &minor); n < 2 {
		return nil // a private build may call itself anything
	}
	number := major*1000 + minor
	switch {
	case cluster && number < oldestInCluster:
		return fmt.Errorf("check NATS server: version %s in a cluster can lose messages of work queues when a leader changes: upgrade all servers to 2.14 or later", version)
	case number < oldestServer:
		return fmt.Errorf("check NATS server: version %s is too old: upgrade it to 2.11 or later, in a cluster 2.14", version)
	}
	return nil
}
