//go:build unix

// Package peak tells the peak memory of processes.
package peak

import (
	"os"
	"runtime"
	"syscall"
)

// MB is the peak resident memory of an ended process, in MB.
func MB(p *os.ProcessState) float64 {
	u, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0
	}
	if runtime.GOOS == "darwin" {
		return float64(u.Maxrss) / 1e6 // bytes there, KiB elsewhere
	}
	return float64(u.Maxrss) * 1024 / 1e6
}
