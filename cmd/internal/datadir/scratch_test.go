package datadir

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
)

func TestScratchOfTheDeadIsSweptAndThatOfTheLivingIsNot(t *testing.T) {
	parent := t.TempDir()
	living, remove, err := Scratch(parent, "test")
	if err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(parent, "test-dead")
	stranger := filepath.Join(parent, "other-1")
	for _, folder := range []string{dead, stranger} {
		if err := os.Mkdir(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, lockName), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	_, removeSecond, err := Scratch(parent, "test")
	if err != nil {
		t.Fatal(err)
	}
	for folder, want := range map[string]bool{living: true, dead: false, stranger: true} {
		if _, err := os.Stat(folder); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(folder), err)
		}
	}
	for _, f := range []func() error{remove, removeSecond} {
		if err := f(); err != nil {
			t.Error(err)
		}
	}
	if _, err := os.Stat(living); err == nil {
		t.Error("removed, it is still there")
	}
}

func TestManyThatStartAtOnceEachHaveAFolder(t *testing.T) {
	parent := t.TempDir()
	var all sync.WaitGroup
	for range 16 {
		all.Go(func() {
			folder, remove, err := Scratch(parent, "test")
			if err != nil {
				t.Error(err)
				return
			}
			if err := os.WriteFile(filepath.Join(folder, "mine"), nil, 0o600); err != nil {
				t.Error(err)
			}
			if err := remove(); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}
