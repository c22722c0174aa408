package pipeline

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"go.uber.org/zap"

	"github.com/pamline/pamline/pipeline/fault"
)

func TestLargeDropInTheFolderDoesNotHoldUpSmallOnes(t *testing.T) {
	path := t.TempDir()
	writeIn(t, filepath.Join(path, "ann/large.zip"), "x")
	if err := os.Truncate(filepath.Join(path, "ann/large.zip"), bulkBytes+1); err != nil {
		t.Fatal(err)
	}
	writeIn(t, filepath.Join(path, "zoe/small.zip"), "x")
	large, small := make(chan error), 0
	var tried atomic.Int64
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(_ context.Context, d LocalDrop) error {
		if d.Owner == "ann" {
			tried.Add(1)
			return <-large
		}
		small++
		return nil
	}}
	look := func() {
		t.Helper()
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	for range 3 {
		look()
	}
	if small != 1 {
		t.Errorf("the small one was taken %d times beside the large one, want once", small)
	}
	large <- &fault.Fault{Class: fault.Outage, Err: errors.New("no storage")}
	for tried.Load() < 2 { // it is tried again when its turn has come
		look()
	}
	large <- nil
	for range 3 {
		f.wait()
		look()
	}
	if tried.Load() != 2 || small != 1 {
		t.Errorf("the large one was tried %d times and the small one %d times, want 2 and 1", tried.Load(), small)
	}
}

func TestOwnersOfADropFolderTakeTurns(t *testing.T) {
	path := t.TempDir()
	for i := range 2 * mostTaken {
		writeIn(t, filepath.Join(path, "ann", fmt.Sprintf("%03d.zip", i)), "x")
	}
	writeIn(t, filepath.Join(path, "zoe/one.zip"), "x")
	var taken []string
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(_ context.Context, d LocalDrop) error {
		taken = append(taken, d.Owner)
		return nil
	}}
	for _, want := range []int{0, mostTaken, 2 * mostTaken, 2*mostTaken + 1, 2*mostTaken + 1} {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(taken) != want {
			t.Fatalf("%d taken, want %d", len(taken), want)
		}
	}
	if slices.Index(taken, "zoe") != 1 {
		t.Errorf("zoe was number %d", slices.Index(taken, "zoe"))
	}
}

func TestTurnsGoOnWhereTheLastLookEnded(t *testing.T) {
	path := t.TempDir()
	for i := range mostTaken + 1 { // as many owners as fill a look, each with two drops, and one behind them
		owner := fmt.Sprintf("o%03d", i)
		writeIn(t, filepath.Join(path, owner, "1.zip"), "x")
		writeIn(t, filepath.Join(path, owner, "2.zip"), "x")
	}
	last := fmt.Sprintf("o%03d", mostTaken)
	var taken []string
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(_ context.Context, d LocalDrop) error {
		taken = append(taken, d.Owner)
		return nil
	}}
	for range 3 {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if at := slices.Index(taken, last); at != mostTaken {
		t.Errorf("the owner behind all others was number %d, want %d", at, mostTaken)
	}
}

func TestOwnersTakeTurnsWithTheirLargeDrops(t *testing.T) {
	path := t.TempDir()
	for _, name := range []string{"ann/1.zip", "ann/2.zip", "ann/3.zip", "zoe/1.zip"} {
		writeIn(t, filepath.Join(path, name), "x")
		if err := os.Truncate(filepath.Join(path, name), bulkBytes+1); err != nil {
			t.Fatal(err)
		}
	}
	taken := make(chan string, 4)
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(_ context.Context, d LocalDrop) error {
		taken <- d.Owner
		return nil
	}}
	for range 5 {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		f.wait()
	}
	close(taken)
	var got []string
	for owner := range taken {
		got = append(got, owner)
	}
	if want := []string{"ann", "zoe", "ann", "ann"}; !slices.Equal(got, want) {
		t.Errorf("taken in the order %v, want %v", got, want)
	}
}

func TestWhatChangesWhileOthersAreTakenIsNotStill(t *testing.T) {
	path := t.TempDir()
	first, second := filepath.Join(path, "ann/1.zip"), filepath.Join(path, "ann/2.zip")
	writeIn(t, first, "x")
	writeIn(t, second, "x")
	var taken []string
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(_ context.Context, d LocalDrop) error {
		if taken = append(taken, filepath.Base(d.Paths[0])); len(taken) == 1 {
			writeIn(t, second, "more is being written")
		}
		return nil
	}}
	for _, want := range []int{0, 1, 1, 2} {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
		if len(taken) != want {
			t.Fatalf("%v taken, want %d", taken, want)
		}
	}
}
