package ledger_test

import (
	"maps"
	"testing"

	"github.com/pamline/pamline/pipeline/ledger"
	"github.com/pamline/pamline/pipeline/state"
)

func TestNamesOfMembersThatNothingIsLeftOfGo(t *testing.T) {
	t.Parallel()
	h := state.PackHeader{Files: state.SourceFiles{0: "Tea.md", 1: "My divorce.md", 2: "Hens.md"}}
	before := maps.Clone(h.Files)
	all := h.Files
	ledger.BlankFiles(&h, []state.SnapshotLine{{Source: 2}, {Source: 0}, {Source: 2}})
	if !maps.Equal(h.Files, state.SourceFiles{0: "Tea.md", 2: "Hens.md"}) {
		t.Errorf("%v", h.Files)
	}
	if !maps.Equal(all, before) {
		t.Error("the header that it was made of has changed")
	}
}

func TestArchivesLoseTheirNamesAndNothingElse(t *testing.T) {
	t.Parallel()
	parts := []state.Part{{Name: "My divorce.zip", Kind: "zip", Members: 3, Claimed: 2}}
	got := ledger.BlankParts(parts)
	if want := (state.Part{Name: ledger.NameErased, Kind: "zip", Members: 3, Claimed: 2}); len(got) != 1 || got[0] != want || parts[0].Name != "My divorce.zip" {
		t.Errorf("%+v of %+v", got, parts)
	}
}
