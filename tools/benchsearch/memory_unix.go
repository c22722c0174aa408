//go:build unix

package main

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// ownUsage is what the process has used; zero when that is not known.
func ownUsage() syscall.Rusage {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return syscall.Rusage{}
	}
	return u
}

// peakMemory is the most memory that the process had, in bytes; 0 when that is not known. On Linux,
// the usage of a process begins with that of its parent, which has written the store, so the
// kernel's figure for its own address space is read.
func peakMemory() int64 {
	if text, err := os.ReadFile("/proc/self/status"); err == nil {
		var kib int64
		if _, after, ok := strings.Cut(string(text), "VmHWM:"); ok {
			if _, err := fmt.Sscan(after, &kib); err == nil {
				return kib << 10
			}
		}
	}
	most := ownUsage().Maxrss
	if runtime.GOOS == "darwin" {
		return most
	}
	return most << 10
}

// processorTime is the processor time that the process has used.
func processorTime() time.Duration {
	u := ownUsage()
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
