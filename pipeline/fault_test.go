package pipeline

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

func TestFullDiskIsAnOutage(t *testing.T) {
	for _, errno := range []error{syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE} {
		err := fmt.Errorf("write scratch file (is the disk full?): %w", &os.PathError{Op: "write", Err: errno})
		if c := ClassOf(err); c != Outage {
			t.Errorf("%v is of class %s", err, c)
		}
	}
}
