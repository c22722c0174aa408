//go:build unix

package peak_test

import (
	"os"
	"os/exec"
	"testing"

	"github.com/pamline/pamline/tools/internal/peak"
)

func TestAnEndedProcessHadMemory(t *testing.T) {
	c := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^$")
	if err := c.Run(); err != nil {
		t.Fatal(err)
	}
	if mb := peak.MB(c.ProcessState); mb < 1 || mb > 4096 {
		t.Errorf("a test program that runs no test had %.1f MB", mb)
	}
}
