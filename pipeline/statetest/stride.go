package statetest

import "testing"

// Stride is the distance of the calls that a test of crashes disturbs, each in a run of its own:
// every call, or with -short a sample of them.
func Stride(short int) int {
	if testing.Short() {
		return short
	}
	return 1
}
