package main

import (
	"errors"
	"fmt"
	"strings"
	"syscall"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
)

func TestAnOutageTellsAPersonToRunTheCommandAgain(t *testing.T) {
	full := fmt.Errorf("write part: %w", syscall.ENOSPC)
	for _, err := range []error{full, fmt.Errorf("store x: %w", &fault.Fault{Class: fault.Outage, Err: full, Hint: "the work waits"})} {
		got := explainOutage(err)
		if !errors.Is(got, syscall.ENOSPC) || !strings.Contains(got.Error(), "run the same command again") || strings.Contains(got.Error(), "the work waits") {
			t.Errorf("got %q", got)
		}
	}
	other := errors.New("no such file")
	if got := explainOutage(other); got != other { //nolint:errorlint // the very same
		t.Errorf("got %q", got)
	}
}
