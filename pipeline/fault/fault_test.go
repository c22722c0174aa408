package fault_test

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"github.com/pamline/pamline/pipeline/fault"
)

func TestFullDiskIsAnOutage(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE} {
		err := fmt.Errorf("write scratch file (is the disk full?): %w", &os.PathError{Op: "write", Err: errno})
		if c := fault.Of(err); c != fault.Outage {
			t.Errorf("%v is of class %s", err, c)
		}
	}
}

func TestTheClassIsThatOfTheFaultInside(t *testing.T) {
	inner := fault.Permanentf("drop it again", "read %s: %w", "archive", errors.New("no zip"))
	for err, want := range map[error]fault.Class{
		inner:                           fault.Permanent,
		fmt.Errorf("import: %w", inner): fault.Permanent,
		&fault.Fault{Class: fault.Outage, Err: errors.New("gone")}: fault.Outage,
		errors.New("anything"): fault.Unit,
	} {
		if got := fault.Of(err); got != want {
			t.Errorf("%v is of class %s, want %s", err, got, want)
		}
	}
	if got, want := inner.Error(), "read archive: no zip: drop it again"; got != want {
		t.Errorf("the text is %q, want %q", got, want)
	}
}

func TestALogHasNoNameThatAPersonGave(t *testing.T) {
	named := &fault.NamedError{Doing: "open", Name: "Divorce papers.zip", Err: errors.New("inbox/ann/Divorce papers.zip: permission denied")}
	for _, err := range []error{named, fmt.Errorf("import: %w", named), &fault.Fault{Class: fault.Permanent, Err: named}} {
		if text := fault.Loggable(err); strings.Contains(text, "Divorce") || !strings.HasPrefix(text, "open: ") {
			t.Errorf("%q", text)
		}
	}
	if text := fault.Loggable(errors.New(`get "inbox/ann/My Diary.zip": timeout`)); strings.Contains(text, "Diary") || !strings.Contains(text, "timeout") {
		t.Errorf("%q", text)
	}
}
