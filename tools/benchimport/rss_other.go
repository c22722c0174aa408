//go:build !unix

package main

import "os"

// maxRSS is not known on this system.
func maxRSS(*os.ProcessState) float64 { return 0 }
