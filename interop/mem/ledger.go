package mem

import (
	"slices"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Ledger is the set of erased rows, by kind and key. It only grows: an erased row never comes back.
type Ledger struct {
	dead     map[deadKey]bool
	redacted map[deadKey]bool
	// also tells of rows that are erased elsewhere; it may be nil.
	also func(kind, key string) bool
}

type deadKey struct{ kind, key string }

// NewLedger makes an empty ledger.
func NewLedger() *Ledger { return &Ledger{dead: map[deadKey]bool{}, redacted: map[deadKey]bool{}} }

// LedgerOf makes a ledger of what somebody else knows as erased.
func LedgerOf(isErased func(kind, key string) bool) *Ledger {
	l := NewLedger()
	l.also = isErased
	return l
}

func (l *Ledger) isDead(kind, key string) bool {
	return l.dead[deadKey{kind, key}] || l.also != nil && l.also(kind, key)
}

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
	at := deadKey{kindName, KeyOf(kindName, d.Root())}
	if at.key != "" && l.isDead(at.kind, at.key) {
		if k == nil || !l.redacted[at] {
			return Erased, nil
		}
		return Redacted, skeletonOf(k, d.Root())
	}
	if k == nil {
		k = &kind{name: kindName, parents: dependents[kindName]}
	}
	if l.lostParent(k, d.Root()) {
		if at.key != "" {
			l.dead[at] = true // for the rows that depend on it in turn; a stream of parents comes first
		}
		return Erased, nil
	}
	if l.lostEvidence(k, d.Root()) {
		return Erased, nil
	}
	return Kept, line
}

// KeyOf is what a tombstone names a row by: the id, or the natural key of kinds without one, its
// parts joined by zero bytes. A file has a row for each of its pieces, and is named by its path.
func KeyOf(kindName string, n jsonscan.Node) string {
	if kindName == fileKind {
		return n.Get("path").Str()
	}
	if _, k := kindOf(PathOf(kindName)); k != nil {
		return joinKey(n, k.key)
	}
	return n.Get("id").Str()
}

// lostParent tells whether a row that this row depends on is erased.
func (l *Ledger) lostParent(k *kind, n jsonscan.Node) bool {
	return slices.ContainsFunc(k.parents, func(p parent) bool { return l.isDead(p.kind, n.Get(p.field).Str()) })
}

// lostEvidence tells whether all evidence of an edge is erased. Evidence that another bundle adds
// keeps the edge.
func (l *Ledger) lostEvidence(k *kind, n jsonscan.Node) bool {
	evidence := n.Get("evidenceEpisodeIDs")
	if k.name != "edge" || evidence.Len() == 0 {
		return false
	}
	for id := range evidence.Items() {
		if !l.isDead("episode", id.Str()) {
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
