//go:build unix

package dir_test

import (
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest"
	"github.com/pamline/pamline/blob/dir"
)

func open(t testing.TB, root string) *dir.Store {
	t.Helper()
	s, err := dir.Open(root)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func TestStoreKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return open(t, t.TempDir()) })
}

// plain hides what a store can do beyond blob.Store.
type plain struct{ blob.Store }

func TestPlainStoreKeepsTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store { return plain{open(t, t.TempDir())} })
}

func TestTwoStoresOnOneRootKeepTheContract(t *testing.T) {
	blobtest.Run(t, func(t *testing.T) blob.Store {
		root := t.TempDir()
		return &alternating{stores: [2]blob.Store{open(t, root), open(t, root)}}
	})
}
