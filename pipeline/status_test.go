package pipeline

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/blob"
)

func TestStatusOfNoImportIsNotExist(t *testing.T) {
	d := testDeps(t)
	st, err := ImportStatus(t.Context(), d.Store, "me", digest("x")[:32])
	if !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("%+v, %v", st, err)
	}
}
