// Command conformance runs the tests behind each requirement of PAM 1.0 and writes
// docs/conformance.md to standard output:
//
//	make conformance
//
// It fails if a requirement has a test that failed, was skipped or does not exist. The tables are
// in producer.go, readers.go and departures.go; go test ./tools/conformance holds the page to them.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := writePage(ctx, os.Stdout, os.Stderr); err != nil {
		fmt.Fprintln(os.Stderr, "conformance:", err)
		os.Exit(1) //nolint:gocritic // the process ends
	}
}

// writePage runs the tests and writes the page. The page of a run with failures is written, too,
// and names them.
func writePage(ctx context.Context, out, progress io.Writer) error {
	status, err := runTests(ctx, allTests(), progress)
	if err != nil {
		return err
	}
	if _, err := io.WriteString(out, page(status)); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	var errs []error
	for _, t := range allTests() {
		if status[t] != passed {
			errs = append(errs, fmt.Errorf("%s: %s", t, status[t]))
		}
	}
	return errors.Join(errs...)
}
