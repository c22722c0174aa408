package pipeline

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
)

// Versions of the NATS server, as major × 1000 + minor.
const (
	// oldestServer has keys that expire one by one.
	oldestServer = 2011
	// oldestInCluster keeps replicated work queues through a change of leaders; those before may lose messages of them.
	oldestInCluster = 2014
)

// checkServer refuses a server that work queues are not safe on. It sees the server it is connected to: those beside it in
// the cluster are somebody's to keep at the same version.
func checkServer(nc *nats.Conn) error {
	if nc == nil {
		return nil
	}
	return checkVersionOf(nc.ConnectedServerVersion(), nc.ConnectedClusterName() != "")
}

func checkVersionOf(version string, cluster bool) error {
	n, ok := versionNumber(version)
	switch {
	case !ok: // a build of somebody's own says what it wants
		return nil
	case cluster && n < oldestInCluster:
		return fmt.Errorf("check NATS server: version %s in a cluster can lose messages of work queues when a leader changes: upgrade all servers to 2.14 or later", version)
	case n < oldestServer:
		return fmt.Errorf("check NATS server: version %s is too old: upgrade it to 2.11 or later, in a cluster 2.14", version)
	}
	return nil
}

func versionNumber(version string) (int, bool) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return 0, false
	}
	major, err := strconv.Atoi(parts[0])
	if err != nil {
		return 0, false
	}
	minor, err := strconv.Atoi(parts[1])
	return major*1000 + minor, err == nil
}
