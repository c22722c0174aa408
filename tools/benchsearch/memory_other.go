//go:build !unix

package main

// peakMemory is the most memory that the process had, in bytes; 0 when that is not known.
func peakMemory() int64 { return 0 }
