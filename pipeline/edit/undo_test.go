package edit_test

import (
	"errors"
	"testing"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/pipeline/edit"
)

func TestTheLastEditOfAMemoryIsUndone(t *testing.T) {
	w := withStore(t)
	sings := edit.Made(add("Sings."))
	for _, e := range []assemble.Edit{
		add("Sings."), {ID: "e2", At: "2026-01-02T00:00:00Z", Action: assemble.EditArchive, Memory: sings}, {ID: "e3", At: "2026-01-03T00:00:00Z", Action: assemble.EditConfirm, Memory: sings},
		{ID: "e4", At: "2026-01-03T00:00:00Z", Action: assemble.EditUndo, Memory: sings, Undoes: "e3"},
	} {
		if _, err := edit.Append(t.Context(), w.Store, "ann", e); err != nil {
			t.Fatal(err)
		}
	}
	list, err := edit.List(t.Context(), w.Store, "ann", 0)
	if err != nil || len(list) != 4 {
		t.Fatal(list, err)
	}
	if rest, err := edit.List(t.Context(), w.Store, "ann", 3); err != nil || len(rest) != 1 || rest[0].ID != "e4" {
		t.Error(rest, err)
	}
	last, err := edit.LastOf(list, sings[:8])
	if err != nil || last.ID != "e2" {
		t.Errorf("%+v, %v", last, err)
	}
	if u := edit.Undo(last); u.Undoes != "e2" || u.Memory != sings || u.Action != assemble.EditUndo {
		t.Errorf("%+v", u)
	}
	if own := edit.Of(list, sings); len(own) != 2 || own[0].ID != "e-Sings." {
		t.Errorf("%+v", own)
	}
	for _, prefix := range []string{"abc", "00000000"} {
		if _, err := edit.LastOf(list, prefix); !errors.Is(err, edit.ErrNoMemory) && !errors.Is(err, edit.ErrNothingToUndo) {
			t.Errorf("%s: %v", prefix, err)
		}
	}
}
