// Command benchsearch measures the search index on generated stores: its size, the time to make it,
// the time of queries, and the memory of the process.
//
//	go run ./tools/benchsearch                 a store of 100 MB of conversations
//	go run ./tools/benchsearch -mb 100,1000    and one of 1 GB
//	go run ./tools/benchsearch -keep DIR       keep the stores in a folder, and use those that are there
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	sizes := flag.String("mb", "100", "sizes of the conversation files of the stores, in MB")
	keep := flag.String("keep", "", "the folder for the stores; a temporary one if empty")
	measured := flag.String("measure", "", "measure this bundle only")
	profile := flag.String("cpuprofile", "", "with -measure: the file for a profile of the processor time of building and searching")
	flag.Parse()
	work := func() error { return runAll(*sizes, *keep) }
	if *measured != "" {
		work = func() error { return runProfiled(*profile, func() error { return measureBundle(*measured) }) }
	}
	if err := work(); err != nil {
		fmt.Fprintln(os.Stderr, "benchsearch:", err)
		os.Exit(1)
	}
}

// runAll makes each store and measures it in a process of its own, whose memory is that of searching
// alone.
func runAll(sizes, folder string) (err error) {
	if folder == "" {
		if folder, err = os.MkdirTemp("", "benchsearch-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	fmt.Println("Pairs of times are wall time and processor time; pairs of memory are the peak while building and at the end.")
	fmt.Println(strings.Join([]string{"conversations", "text", "index", "of text", "build", "speed", "update", "queries", "median", "p95", "slowest", "memory"}, "\t"))
	for size := range strings.SplitSeq(sizes, ",") {
		mb, err := strconv.Atoi(size)
		if err != nil || mb < 1 {
			return fmt.Errorf("read -mb: %q is not a number of MB", size)
		}
		bundle := filepath.Join(folder, size)
		if err := writeStore(bundle, int64(mb)<<20); err != nil {
			return fmt.Errorf("write store: %w", err)
		}
		c := exec.Command(self, "-measure", bundle)
		c.Stdout, c.Stderr = os.Stdout, os.Stderr
		if err := c.Run(); err != nil {
			return fmt.Errorf("measure %s: %w", bundle, err)
		}
	}
	return nil
}
