package pipeline

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"go.uber.org/zap"
)

func TestDropFolderTriesAgainAfterAnOutage(t *testing.T) {
	path := t.TempDir()
	writeFile(t, filepath.Join(path, "export.zip"), "x")
	calls := 0
	f := &Folder{Path: path, DefaultOwner: "me", Log: zap.NewNop(), Take: func(context.Context, string, string) error {
		calls++
		if calls == 1 {
			return &Fault{Class: Outage, Err: errors.New("no storage")}
		}
		return nil
	}}
	for range 5 {
		if err := f.Look(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if calls != 2 {
		t.Errorf("taken %d times, want 2: the drop waits until somebody changes it", calls)
	}
}
