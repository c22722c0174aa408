//go:build !linux

package main

import (
	"fmt"
	"os"
)

func main() {
	fmt.Fprintln(os.Stderr, "benchdrops: it reads /proc, which only Linux has")
	os.Exit(1)
}
