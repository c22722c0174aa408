package importertest

import (
	"errors"
	"fmt"
	"reflect"
	"testing"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Format is an importer under test and what it promises.
type Format struct {
	Importer importer.Importer
	// NoInverse: the format is not JSON; Restore gives importer.ErrNoInverse.
	NoInverse bool
	// Rows: Restore gives the elements of the unit's array with commas between them.
	Rows bool
	// Derived is what a document may have beside its source, in bytes: texts that are kept in two
	// forms, such as HTML and the Markdown made of it. Nil for none.
	Derived func(*pamio.Conversation) int
	// Unordered: the elements of an array unit come back in any order.
	Unordered bool
}

// Allowance is what a small element's document may exceed 1.25 times its size by, in bytes: the
// fixed parts of a document.
const Allowance = 1024

// perMessage is what a message of a changed or made-up source may take beside its texts, in bytes:
// where nearly every value is odd, the notes that give it back are longer than the source.
const perMessage = 400

// Check holds every promise about each unit.
func (f Format) Check(t testing.TB, r *Result) {
	t.Helper()
	for _, u := range r.Units {
		if err := f.sound(u, 0); err != nil {
			t.Errorf("%s#%d@%d: %v", u.Member.Name, u.Index, u.Offset, err)
		}
	}
}

// sound tells what is wrong with what became of a unit.
func (f Format) sound(u Unit, slack int) error {
	conversations := 0
	for _, item := range u.Items {
		switch {
		case item.Conversation != nil:
			conversations++
			if err := f.conversation(u, item.Conversation, slack); err != nil {
				return err
			}
		case item.Record != nil:
			if err := record(item.Record); err != nil {
				return err
			}
		case item.Skip != nil:
			if item.Skip.Code == "" || item.Skip.Reason == "" || item.Skip.Count <= 0 {
				return fmt.Errorf("a skip without code, reason or count: %+v", *item.Skip)
			}
		}
	}
	return nil
}

func record(r *importer.Record) error {
	if r.Kind == "" || r.Provider == "" || len(r.Raw) == 0 {
		return fmt.Errorf("a record without kind, provider or source: %q", r.Kind)
	}
	if d, err := jsonscan.Parse(r.Raw, 0); err != nil {
		return fmt.Errorf("the source of a %s record is not JSON: %w", r.Kind, err)
	} else if d.Root().Odd() {
		return fmt.Errorf("the source of a %s record holds what a document cannot hold", r.Kind)
	}
	return nil
}

func (f Format) conversation(u Unit, snap *importer.Snapshot, slack int) error {
	if err := snap.Doc.Check(); err != nil {
		return fmt.Errorf("the document is not sound: %w", err)
	}
	if snap.Order == "" {
		return errors.New("the snapshot has no order")
	}
	written := snap.Doc.AppendJSON(nil)
	doc, err := pamio.ParseConversation(written)
	if err != nil {
		return fmt.Errorf("read the document again: %w", err)
	}
	if !reflect.DeepEqual(doc, snap.Doc) { // extractors read either
		return errors.New("the document differs from what is read of its JSON")
	}
	back, err := f.Importer.Restore(nil, doc)
	if f.NoInverse {
		if !errors.Is(err, importer.ErrNoInverse) {
			return errors.New("restore of a format without an inverse: " + fmt.Sprint(err))
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("restore: %w", err)
	}
	src, err := jsonscan.Parse(u.Raw, 0)
	if err != nil {
		return fmt.Errorf("source: %w", err)
	}
	if l, want := snap.Loss, normalize.Leaves(src.Root()); l.Mapped+l.Raw+l.Asset+l.Skipped != want && !src.Root().Odd() {
		return fmt.Errorf("leaves: %+v account for %d of %d", l, l.Mapped+l.Raw+l.Asset+l.Skipped, want)
	}
	if f.Rows {
		back = append(append([]byte{'['}, back...), ']')
	}
	got, err := jsonscan.Parse(back, 0)
	if err != nil {
		return fmt.Errorf("restored element: %w: %.300s", err, back)
	}
	if !normalize.Equal(src.Root(), got.Root()) && !(f.Unordered && sameElements(src.Root(), got.Root())) {
		return fmt.Errorf("the restored element differs at %s", Difference(src.Root(), got.Root(), ""))
	}
	extra := escrowSize(snap.Doc.RawMetadata)
	if f.Derived != nil {
		extra += f.Derived(snap.Doc)
	}
	compact := src.Root().AppendCompact(nil)
	if src.Root().Odd() {
		compact, _ = normalize.Clean(src.Root()) // a byte that is not UTF-8 becomes a character of three
	}
	if float64(len(written)-extra) > 1.25*float64(len(compact))+Allowance+float64(slack*len(doc.Messages)) {
		return fmt.Errorf("the document has %d bytes, its source %d: %.2f times", len(written)-extra, len(compact), float64(len(written)-extra)/float64(len(compact)))
	}
	return nil
}

// escrowSize is what gives back values that a document cannot hold: it comes on top.
func escrowSize(raw pamio.RawJSON) int {
	if len(raw) == 0 {
		return 0
	}
	d, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return 0
	}
	return len(d.Root().Get("restore").Get("escrow").Raw())
}

func sameElements(a, b jsonscan.Node) bool {
	if a.Kind() != jsonscan.Array || b.Kind() != jsonscan.Array || a.Len() != b.Len() {
		return false
	}
	count := map[string]int{}
	for v := range a.Items() {
		count[normalize.Digest(v)]++
	}
	for v := range b.Items() {
		count[normalize.Digest(v)]--
	}
	for _, n := range count {
		if n != 0 {
			return false
		}
	}
	return true
}

// Difference says where two values are not the same, with both cut short; "" when they are.
func Difference(a, b jsonscan.Node, at string) string {
	if normalize.Equal(a, b) {
		return ""
	}
	if a.Kind() == jsonscan.Array && b.Kind() == jsonscan.Array {
		var other []jsonscan.Node
		for v := range b.Items() {
			other = append(other, v)
		}
		i := 0
		for v := range a.Items() {
			if i >= len(other) {
				break
			}
			if d := Difference(v, other[i], fmt.Sprintf("%s/%d", at, i)); d != "" {
				return d
			}
			i++
		}
		return fmt.Sprintf("%s: %d elements were, %d are", at, a.Len(), b.Len())
	}
	if a.Kind() == jsonscan.Object && b.Kind() == jsonscan.Object {
		occurrences := func(n jsonscan.Node) map[string]jsonscan.Node {
			out, count := map[string]jsonscan.Node{}, map[string]int{}
			for k, v := range n.Fields() {
				id := string(normalize.AppendIdentity(nil, k))
				out[fmt.Sprintf("%q#%d", id, count[id])] = v
				count[id]++
			}
			return out
		}
		was, is := occurrences(a), occurrences(b)
		for k, v := range was {
			if d := Difference(v, is[k], at+"/"+k); d != "" {
				return d
			}
		}
		for k := range is {
			if !was[k].Exists() {
				return fmt.Sprintf("%s/%s: only in the restored one", at, k)
			}
		}
	}
	return fmt.Sprintf("%s: source %.600s, restored %.600s", at, a.Raw(), b.Raw())
}
