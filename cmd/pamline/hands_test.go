//go:build linux

package main

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// hands are what can become of a data folder while an import uses it. back undoes it, as far as
// that is possible.
var hands = map[string]struct {
	change, back func(folder string) error
	says         string
}{
	"moved": {
		func(folder string) error { return os.Rename(folder, folder+".moved") },
		func(folder string) error { return os.Rename(folder+".moved", folder) },
		"was moved, removed or replaced",
	},
	"replaced": {
		func(folder string) error {
			return errors.Join(os.Rename(folder, folder+".moved"), os.MkdirAll(filepath.Join(folder, "store"), 0o700))
		},
		func(folder string) error {
			return errors.Join(os.RemoveAll(folder), os.Rename(folder+".moved", folder))
		},
		"was moved, removed or replaced",
	},
	"removed": {os.RemoveAll, func(string) error { return nil }, "run the same command again"},
	"read-only": {
		func(folder string) error { return chmodFolders(folder, 0o500) },
		func(folder string) error { return chmodFolders(folder, 0o700) },
		"permission",
	},
}

// chmodFolders changes the mode of a folder and of all folders in it.
func chmodFolders(folder string, mode os.FileMode) error {
	if err := os.Chmod(folder, 0o700); err != nil { //nolint:gosec // a folder of the test
		return err
	}
	entries, err := os.ReadDir(folder)
	for _, e := range entries {
		if e.IsDir() {
			err = errors.Join(err, chmodFolders(filepath.Join(folder, e.Name()), mode))
		}
	}
	return errors.Join(err, os.Chmod(folder, mode))
}

// A data folder that changes hands ends an import with an error and exit code 1; afterwards the
// same command gives what an undisturbed one gives.
func TestADataFolderThatChangesHandsDuringAnImport(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: killed imports and the service run the same code")
	}
	file, undisturbed := export(t, 200), filepath.Join(t.TempDir(), "out")
	if text, err := importing(t.TempDir(), undisturbed, file).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	want := bundleFiles(t, undisturbed)
	for name, h := range hands {
		for _, reached := range []string{"inbox/me", "owners/me/imports/*/snapshots/*.s2"} {
			t.Run(name+" after "+strings.NewReplacer("/", " ", "*", "x").Replace(reached), func(t *testing.T) {
				if name == "read-only" && os.Geteuid() == 0 {
					t.Skip("the superuser may write into every folder")
				}
				data, out := disturbedImport(t, file, reached, h.change, h.says)
				if err := h.back(data); err != nil {
					t.Fatal(err)
				}
				if text, err := importing(data, out, file).CombinedOutput(); err != nil {
					t.Fatalf("the next import: %v: %s", err, text)
				}
				if got := bundleFiles(t, out); !maps.Equal(got, want) {
					t.Errorf("the next import gives %d files that differ from the %d of an undisturbed one", len(got), len(want))
				}
			})
		}
	}
}

// disturbedImport changes the data folder of an import that has reached some object of the store.
// An import that ended too early to be disturbed begins anew.
func disturbedImport(t *testing.T, file, reached string, change func(string) error, says string) (data, out string) {
	t.Helper()
	for {
		data, out = filepath.Join(t.TempDir(), "data"), filepath.Join(t.TempDir(), "out")
		var text strings.Builder
		cmd := importing(data, out, file)
		cmd.Stdout, cmd.Stderr = &text, &text
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- cmd.Wait() }()
		if !waitForObject(t, filepath.Join(data, "store", reached), ended) {
			continue
		}
		if err := cmd.Process.Signal(syscall.SIGSTOP); err != nil {
			continue // it has ended
		}
		_, err := os.Lstat(filepath.Join(data, "store/owners/me/head.json"))
		published := err == nil
		if !published {
			if err := change(data); err != nil {
				t.Fatal(err)
			}
		}
		if err := cmd.Process.Signal(syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		<-ended
		if published {
			continue
		}
		if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(text.String(), says) {
			t.Errorf("%s; want exit code 1, and %q in: %s", cmd.ProcessState, says, &text)
		}
		if _, err := os.Lstat(out); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("the disturbed import has written a bundle: %v", err)
		}
		return data, out
	}
}

// waitForObject waits until a file of a pattern is there; false if the process ended before.
func waitForObject(t *testing.T, pattern string, ended <-chan error) bool {
	t.Helper()
	for {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		if len(found) > 0 {
			return true
		}
		select {
		case <-ended:
			return false
		case <-time.After(2 * time.Millisecond):
		}
	}
}
