//go:build linux && !race

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

const (
	// hostileMemory is the peak memory, in bytes, that no hostile input may exceed.
	hostileMemory = 1 << 30
	// hostileSeconds of processor time end the import of a small input, and hostileSecondsFull
	// that of a full one: some ten times what the slowest takes. The kernel ends the process.
	hostileSeconds, hostileSecondsFull = 60, 900
)

// Each hostile input is imported by a process of its own with a gigabyte of memory and a bound of
// processor time, and ends as docs/limits.md says. The inputs are a tenth of their full size and
// less, and so is limits.max_conversation, unless HOSTILE_INPUTS=full is set (make hostile). The
// race detector takes more memory than the test allows.
func TestHostileInputsStayWithinAGigabyteAndTheirTime(t *testing.T) {
	if testing.Short() {
		t.Skip("a hundred imports, of more than a minute")
	}
	full, seconds, limit := os.Getenv("HOSTILE_INPUTS") == "full", hostileSeconds, "12MiB"
	if full {
		seconds, limit = hostileSecondsFull, "128MiB"
	}
	for _, in := range hostileInputs {
		t.Run(in.name, func(t *testing.T) {
			if !full { // a full one may need a gigabyte
				t.Parallel()
			}
			file := filepath.Join(t.TempDir(), in.name)
			// The peak of a new process is at least that of the one that starts it: a third one
			// writes the input.
			if out, err := exec.CommandContext(t.Context(), "write-hostile", file, in.name, strconv.FormatBool(full)).CombinedOutput(); err != nil {
				t.Fatalf("%v: %s", err, out)
			}
			begun := time.Now()
			cmd := exec.CommandContext(t.Context(), "sh", "-c", `ulimit -t "$0" && exec "$@"`, strconv.Itoa(seconds),
				"pamline", "import", "--data", t.TempDir(), "--owner", "me", "--set", "limits.max_conversation="+limit, file)
			cmd.Env = append(os.Environ(), "GOMEMLIMIT=900MiB", "GOGC=") // as a person has it
			text, err := cmd.CombinedOutput()
			if cmd.ProcessState == nil {
				t.Fatal(err)
			}
			peak := cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss << 10
			t.Logf("exit %d, %.1f s, %.1f s of processor time, %d MB", cmd.ProcessState.ExitCode(), time.Since(begun).Seconds(),
				(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds(), peak/1e6)
			if cmd.ProcessState.ExitCode() != in.exit || !strings.Contains(string(text), in.says) {
				t.Errorf("%s; want exit code %d, and %q in: %s", cmd.ProcessState, in.exit, in.says, text)
			}
			if peak > hostileMemory {
				t.Errorf("%d MB of memory", peak/1e6)
			}
		})
	}
}
