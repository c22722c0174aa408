//go:build !unix

package main

import "time"

// peakMemory is the most memory that the process had, in bytes; 0 when that is not known.
func peakMemory() int64 { return 0 }

// processorTime is the processor time that the process has used; 0 when that is not known.
func processorTime() time.Duration { return 0 }
