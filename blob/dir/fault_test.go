//go:build unix

package dir

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/pamline/pamline/blob"
)

// faultyFS lets files fail at writing or syncing.
type faultyFS struct {
	fileSystem
	write, sync, syncDir error
}

func (f *faultyFS) Create(name string) (newFile, error) {
	n, err := f.fileSystem.Create(name)
	return faultyFile{n, f}, err
}

func (f *faultyFS) SyncDir(name string) (any, error) {
	if f.syncDir != nil {
		return nil, f.syncDir
	}
	return f.fileSystem.SyncDir(name)
}

type faultyFile struct {
	newFile
	f *faultyFS
}

func (f faultyFile) Write(p []byte) (int, error) {
	if f.f.write == nil {
		return f.newFile.Write(p)
	}
	n, err := f.newFile.Write(p[:len(p)/2])
	return n, errors.Join(err, f.f.write)
}

func (f faultyFile) Sync() error { return errors.Join(f.newFile.Sync(), f.f.sync) }

func openFaulty(t *testing.T) (*Store, *faultyFS) {
	t.Helper()
	root, err := openRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	f := &faultyFS{fileSystem: root}
	s, err := open(f)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, f
}

func TestFullDiskGivesAClearErrorAndLeavesNothing(t *testing.T) {
	full := &os.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC}
	for name, break_ := range map[string]func(*faultyFS){
		"while writing": func(f *faultyFS) { f.write = full },
		"while syncing": func(f *faultyFS) { f.sync = full },
	} {
		t.Run(name, func(t *testing.T) {
			s, f := openFaulty(t)
			old, err := s.Put(t.Context(), "old", strings.NewReader("old"), blob.PutOptions{})
			if err != nil {
				t.Fatal(err)
			}
			break_(f)
			calls := map[string]func() error{
				"put": func() error {
					_, err := s.Put(t.Context(), "new/er", strings.NewReader("new"), blob.PutOptions{})
					return err
				},
				"put if absent": func() error {
					_, err := s.Put(t.Context(), "new/er", strings.NewReader("new"), blob.PutOptions{IfAbsent: true})
					return err
				},
				"swap": func() error {
					_, err := s.Put(t.Context(), "old", strings.NewReader("new"), blob.PutOptions{IfMatch: old.ETag})
					return err
				},
				"batch": func() error {
					_, err := s.PutAbsent(t.Context(), []blob.Item{{Key: "x", Body: []byte("x")}, {Key: "y", Body: []byte("y")}})
					return err
				},
			}
			for what, call := range calls {
				err := call()
				var e *blob.Error
				if !errors.As(err, &e) || !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), "the disk is full") {
					t.Errorf("%s: %v", what, err)
				}
				if blob.Retryable(err) {
					t.Errorf("%s: a full disk will not be better in a moment", what)
				}
			}
			if left, err := s.fs.ReadDir(s.slot); err != nil || len(left) > 0 {
				t.Errorf("scratch files %v are left, %v", left, err)
			}
			for obj, err := range s.List(t.Context(), "") {
				if err != nil || obj.Key != "old" {
					t.Errorf("listed %s, %v", obj.Key, err)
				}
			}
			if got, err := contentOf(t.Context(), s, "old"); got != "old" || err != nil {
				t.Errorf("the old object is %q, %v", got, err)
			}
		})
	}
}

func TestFailedFolderSyncIsNotAcknowledged(t *testing.T) {
	s, f := openFaulty(t)
	f.syncDir = syscall.EIO
	for _, o := range []blob.PutOptions{{}, {IfAbsent: true}} {
		if _, err := s.Put(t.Context(), "o", strings.NewReader("x"), o); !errors.Is(err, syscall.EIO) {
			t.Errorf("put %+v: %v", o, err)
		}
	}
	if _, err := s.PutAbsent(t.Context(), []blob.Item{{Key: "p"}}); !errors.Is(err, syscall.EIO) {
		t.Errorf("batch: %v", err)
	}
	if err := s.Delete(t.Context(), "o"); !errors.Is(err, syscall.EIO) {
		t.Errorf("delete: %v", err)
	}
}

// coarseFS keeps times to the second, linklessFS cannot link: what memory cards do.
type coarseFS struct{ *powerFS }

func (f coarseFS) Create(name string) (newFile, error) {
	n, err := f.powerFS.Create(name)
	return coarseFile{n}, err
}

type coarseFile struct{ newFile }

func (f coarseFile) Stat() (info, error) {
	i, err := f.newFile.Stat()
	i.modTime = i.modTime.Truncate(1e9)
	return i, err
}

type linklessFS struct{ *powerFS }

func (f linklessFS) Link(_, _ string) error { return syscall.EPERM }

func TestUnfitFileSystemsAreRefused(t *testing.T) {
	for want, f := range map[string]fileSystem{
		"times too coarsely": coarseFS{newPowerFS(-1)},
		"hard links":         linklessFS{newPowerFS(-1)},
	} {
		if _, err := open(f); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want an error about %s, got %v", want, err)
		}
	}
}

func TestWaitingForALockEndsWithTheContext(t *testing.T) {
	s, _ := openFaulty(t)
	unlock, err := s.lock(t.Context(), "o")
	if err != nil {
		t.Fatal(err)
	}
	defer unlock()
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error)
	go func() { done <- s.Delete(ctx, "o") }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("in the same store: %v", err)
	}
	// And against another process, which holds only the lock file.
	other := &Store{fs: s.fs}
	for i := range other.shards {
		other.shards[i] = make(chan struct{}, 1)
	}
	ctx, cancel = context.WithCancel(t.Context())
	go func() { done <- other.Delete(ctx, "o") }()
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("in another store: %v", err)
	}
}

// A process that goes on in a folder that was moved away, or behind another one that took its
// place, would publish where nobody looks.
func TestAFolderThatChangesHandsIsNotWrittenTo(t *testing.T) {
	changes := map[string]func(t *testing.T, folder string){
		"moved": func(t *testing.T, folder string) {
			t.Helper()
			if err := os.Rename(folder, folder+".moved"); err != nil {
				t.Fatal(err)
			}
		},
		"removed": func(t *testing.T, folder string) {
			t.Helper()
			if err := os.RemoveAll(folder); err != nil {
				t.Fatal(err)
			}
		},
		"replaced": func(t *testing.T, folder string) {
			t.Helper()
			if err := errors.Join(os.Rename(folder, folder+".moved"), os.Mkdir(folder, 0o700)); err != nil {
				t.Fatal(err)
			}
		},
		"replaced by a file": func(t *testing.T, folder string) {
			t.Helper()
			if err := errors.Join(os.Rename(folder, folder+".moved"), os.WriteFile(folder, nil, 0o600)); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range changes {
		t.Run(name, func(t *testing.T) {
			folder := filepath.Join(t.TempDir(), "store")
			s, err := Open(folder)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			old, err := s.Put(t.Context(), "old", strings.NewReader("old"), blob.PutOptions{})
			if err != nil {
				t.Fatal(err)
			}
			change(t, folder)
			_, absent := s.Put(t.Context(), "new/er", strings.NewReader("new"), blob.PutOptions{IfAbsent: true})
			_, swap := s.Put(t.Context(), "old", strings.NewReader("new"), blob.PutOptions{IfMatch: old.ETag})
			_, batch := s.PutAbsent(t.Context(), []blob.Item{{Key: "x", Body: []byte("x")}})
			for what, err := range map[string]error{"put if absent": absent, "swap": swap, "batch": batch} {
				if name == "removed" && what == "swap" && errors.Is(err, blob.ErrPrecondition) {
					continue // the object is gone, which is as good an answer
				}
				if !errors.Is(err, errMoved) || !strings.Contains(err.Error(), "put it back") || blob.Retryable(err) {
					t.Errorf("%s: %v", what, err)
				}
			}
		})
	}
}
