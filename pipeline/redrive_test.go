package pipeline

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/publish"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

func TestARedriveOfWhatWasReplacedDoesNothing(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	p.sulky.on.Store(true)
	r := p.imported(t, "me", manyConversations(6))
	p.idle(t)
	l := p.letters(t, LetterFilter{})[0]
	p.sulky.on.Store(false)
	d := p.d
	d.Limits.MaxDepth = 100 // another import of the same drop
	file := zipOf(t, map[string]string{"conversations.json": manyConversations(6)})
	m, task := ingested(t, d, "me", file)
	if m.Drop != r.Drop || m.Import == r.Import {
		t.Fatal("it is not another import of the same drop")
	}
	if _, err := Assemble(t.Context(), d, "me", []AssembleTask{task}); err != nil {
		t.Fatal(err)
	}
	head, _, err := state.ReadHead(t.Context(), d.Store, "me")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := p.Letters().Redrive(t.Context(), l); err != nil || out.Outcome != RedriveReplaced {
		t.Errorf("%+v, %v", out, err)
	}
	p.idle(t)
	if now, _, err := state.ReadHead(t.Context(), d.Store, "me"); err != nil || now != head {
		t.Errorf("the store has changed: %+v (%v)", now, err)
	}
}

func TestRefusedDropIsReadAgain(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	r := p.imported(t, "me", `{"no":"export"}`)
	if r.State != state.StateRefused {
		t.Fatalf("state %s", r.State)
	}
	p.idle(t)
	l := p.letters(t, LetterFilter{Stage: telemetry.StageIngest})
	if len(l) != 1 || l[0].Class != fault.Permanent || l[0].Attempts != 1 || l[0].Hint == "" {
		t.Fatalf("letters %+v", l)
	}
	if out, err := p.Letters().Redrive(t.Context(), l[0]); err != nil || out.Outcome != RedriveQueued {
		t.Fatalf("%+v, %v", out, err)
	}
	p.idle(t)
	if again := p.letters(t, LetterFilter{}); len(again) != 1 || again[0].ID != l[0].ID || p.receipt(t, r).State != state.StateRefused {
		t.Errorf("letters %+v, state %s", again, p.receipt(t, r).State)
	}
	if err := p.d.Store.Delete(t.Context(), state.DropKey("me", r.Drop, "drop.json")); err != nil {
		t.Fatal(err)
	}
	if out, err := p.Letters().Redrive(t.Context(), l[0]); err != nil || out.Outcome != RedriveGone {
		t.Errorf("a drop that is gone: %+v, %v", out, err)
	}
}

func TestDamagedPlaceOfOneOwnerDoesNotKeepTheLettersOfOthers(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	one, two := p.imported(t, "eve", `{"no":"export"}`), p.imported(t, "me", `{"none":"either"}`)
	p.idle(t)
	if err := state.PutJSON(t.Context(), p.d.Store, state.DropKey("eve", one.Drop, "drop.json"), "damaged"); err != nil {
		t.Fatal(err)
	}
	page, err := p.Letters().RedrivePage(t.Context(), LetterFilter{})
	if err != nil || len(page.Redriven) != 2 || page.Redriven[0].Outcome != RedriveKept || page.Redriven[1].Outcome != RedriveQueued {
		t.Errorf("%+v, %v", page, err)
	}
	if page.Redriven[1].Drop != two.Drop {
		t.Errorf("drop %s is queued", page.Redriven[1].Drop)
	}
	p.idle(t)
}

func TestStoreThatCouldNotBeComputedIsComputedAgain(t *testing.T) {
	t.Parallel()
	p := newPipelined(t)
	first := p.imported(t, "me", manyConversations(3))
	m, ok, err := state.ReadManifest(t.Context(), p.d.Store, "me", first.Import)
	if err != nil || !ok {
		t.Fatal(err)
	}
	key := state.PackListKey("me", m.Import, 0)
	whole, _, err := publish.ReadAll(t.Context(), p.d.Store, key)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.d.Store.Put(t.Context(), key, strings.NewReader("damaged"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	r := p.imported(t, "me", manyConversations(5))
	if r.State != state.StateFailed {
		t.Fatalf("state %s", r.State)
	}
	p.idle(t)
	l := p.letters(t, LetterFilter{Owner: "me"})
	if len(l) != 1 || l[0].Stage != telemetry.StageAssemble || l[0].Import != r.Import {
		t.Fatalf("letters %+v", l)
	}
	for o := range p.d.Store.List(t.Context(), state.RequestPrefix("me")) {
		t.Errorf("the request is left, so that every pass would try it again: %s", o.Key)
	}
	if _, err := p.d.Store.Put(t.Context(), key, bytes.NewReader(whole), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if out, err := p.Letters().Redrive(t.Context(), l[0]); err != nil || out.Outcome != RedriveQueued {
		t.Fatalf("%+v, %v", out, err)
	}
	p.idle(t)
	if now := p.receipt(t, r); now.State != state.StateDone {
		t.Errorf("the import is %s: %s", now.State, now.Reason)
	}
}
