package mem

import (
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Ledger is the set of erased rows, by kind and key. It only grows: an erased row never comes back.
type Ledger struct {
	dead     map[deadKey]bool
	redacted map[deadKey]bool
}

type deadKey struct{ kind, key string }

// NewLedger makes an empty ledger.
func NewLedger() *Ledger { return &Ledger{map[deadKey]bool{}, map[deadKey]bool{}} }

// Add takes a tombstone into the ledger: its target and every id of its reach.
func (l *Ledger) Add(line []byte) error {
	d, err := checkRecord(new(audits[TombstonesFile]), line)
	if err != nil {
		return err
	}
	n := d.Root()
	target := deadKey{n.Get("targetKind").Str(), n.Get("targetID").Str()}
	l.dead[target] = true
	if n.Get("op").Is("redact") {
		l.redacted[target] = true
	}
	for _, r := range reaches {
		for id := range n.Get("derived").Get(r.field).Items() {
			l.dead[deadKey{r.kind, id.Str()}] = true
		}
	}
	return nil
}

// Len is the number of erased rows.
func (l *Ledger) Len() int { return len(l.dead) }

// Fate is what becomes of a row.
type Fate uint8

// The fates of a row: it is kept, it is erased, or only a skeleton without text of it is kept.
const (
	Kept Fate = iota
	Erased
	Redacted
)

// Judge tells what becomes of a row. Line is the text to keep: of a redacted row the skeleton.
func (l *Ledger) Judge(kindName string, line []byte) (Fate, []byte) {
	_, k := kindOf(PathOf(kindName))
	d, err := jsonscan.Parse(line, 0)
	if err != nil {
		return Kept, line
	}
	at := deadKey{kindName, keyOf(k, d)}
	if at.key != "" && l.dead[at] {
		if k == nil || !l.redacted[at] {
			return Erased, nil
		}
		return Redacted, skeletonOf(k, d.Root())
	}
	if k == nil {
		k = &kind{name: kindName, parents: dependents[kindName]}
	}
	if l.orphans(k, d.Root()) {
		return Erased, nil
	}
	return Kept, line
}

// orphans tells whether a row lost what it depends on: a parent, or all of an edge's evidence.
func (l *Ledger) orphans(k *kind, n jsonscan.Node) bool {
	if slices.ContainsFunc(k.parents, func(p parent) bool { return l.dead[deadKey{p.kind, n.Get(p.field).Str()}] }) {
		return true
	}
	evidence := n.Get("evidenceEpisodeIDs")
	if k.name != "edge" || evidence.Len() == 0 {
		return false
	}
	for id := range evidence.Items() {
		if !l.dead[deadKey{"episode", id.Str()}] {
			return false
		}
	}
	return true
}

// skeletonOf is a row without a person's text: ids, times and states of the fields that the format
// knows.
func skeletonOf(k *kind, n jsonscan.Node) []byte {
	out := []byte{'{'}
	for _, f := range k.fields {
		v := n.Get(f.name)
		if !v.Exists() || v.IsNull() {
			continue
		}
		text := v.Raw()
		if slices.Contains(k.body, f.name) {
			if f.optional {
				continue
			}
			text = []byte(map[form]string{texts: "[]", dict: "{}"}[f.form])
			if len(text) == 0 {
				text = []byte(`""`)
			}
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(append(AppendString(out, f.name), ':'), text...)
	}
	canonical, err := Canonicalize(append(out, '}'))
	if err != nil {
		return nil // the row was checked
	}
	return canonical
}
