//go:build !linux

package cluster

import (
	"errors"
	"time"
)

// Usage is told on Linux only.
func (p *Process) Usage() (cpu time.Duration, peak int64, err error) {
	return 0, 0, errors.ErrUnsupported
}

// Usage is told on Linux only.
func (g *Gateway) Usage() (cpu time.Duration, peak int64, err error) {
	return 0, 0, errors.ErrUnsupported
}
