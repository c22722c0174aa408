package main

import (
	"errors"
	"os"
	"runtime/pprof"
)

// runProfiled runs something, and writes a profile of its processor time to a file; "" is no
// profile.
func runProfiled(file string, run func() error) (err error) {
	if file == "" {
		return run()
	}
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if err := pprof.StartCPUProfile(f); err != nil {
		return err
	}
	defer pprof.StopCPUProfile()
	return run()
}
