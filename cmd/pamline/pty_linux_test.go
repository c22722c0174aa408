package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// onTerminal runs pamline on a terminal of its own and gives what it wrote there.
func onTerminal(t *testing.T, home string, environ []string, args ...string) string {
	t.Helper()
	master, slave := openTerminal(t)
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	// Under this name, the program of the tests is pamline.
	c := &exec.Cmd{Path: program, Args: append([]string{"pamline"}, args...), Stdin: slave, Stdout: slave, Stderr: slave,
		Env: append([]string{"HOME=" + home, "TERM=xterm", "TMPDIR=" + t.TempDir()}, environ...), SysProcAttr: &syscall.SysProcAttr{Setsid: true, Setctty: true}}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	if err := slave.Close(); err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(master)
	if err != nil && !errors.Is(err, syscall.EIO) { // which ends the output of a terminal
		t.Fatal(err)
	}
	if err := c.Wait(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// openTerminal opens a pseudo-terminal of 100 columns.
func openTerminal(t *testing.T) (master, slave *os.File) {
	t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("this machine has no pseudo-terminals: %v", err)
	}
	t.Cleanup(func() { _ = master.Close() })
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	number, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 30, Col: 100}); err != nil {
		t.Fatal(err)
	}
	return master, slave
}

// A person at a terminal sees colors and progress; NO_COLOR turns the colors off, and a file gets
// neither.
func TestATerminalHasColorsAndProgress(t *testing.T) {
	home, data, bundle := t.TempDir(), t.TempDir(), filepath.Join(t.TempDir(), "bundle")
	colors := regexp.MustCompile("\x1b\\[[0-9;]*m")
	export := filepath.Join("..", "..", "examples", "sample-export")
	out := onTerminal(t, home, nil, "import", "--data", data, "--owner", "me", "--out", bundle, export)
	if !colors.MatchString(out) || !strings.Contains(colors.ReplaceAllString(out, ""), "sample-export: done") {
		t.Errorf("import wrote no colors, or no result:\n%q", out)
	}
	if !regexp.MustCompile(`reading +\[[^]]*\]  [0-9.]+ of [0-9.]+ MB`).MatchString(out) {
		t.Errorf("import showed no progress:\n%q", out)
	}
	if !regexp.MustCompile(`copying +\[[^]]*\]  15 of 15`).MatchString(out) {
		t.Errorf("import showed no progress of --out:\n%q", out)
	}
	for name, args := range map[string][]string{
		"import":   {"import", "--data", data, "--owner", "me", export},
		"status":   {"status", "--data", data},
		"validate": {"validate", bundle},
		"inspect":  {"inspect", bundle},
	} {
		if out := onTerminal(t, home, []string{"NO_COLOR=1"}, args...); colors.MatchString(out) {
			t.Errorf("%s has colors though NO_COLOR is set:\n%q", name, out)
		}
	}
}
