package pipeline

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

func TestStatusOfNoImportIsNotExist(t *testing.T) {
	d := testDeps(t)
	st, err := ImportStatus(t.Context(), d.Store, "me", state.Digest("x")[:32])
	if !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("%+v, %v", st, err)
	}
}
