package pipeline

import (
	"fmt"
	"os"
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
