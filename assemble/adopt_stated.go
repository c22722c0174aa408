package assemble

import (
	"bytes"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/extsort"
)

// stated is an adopted memory beside the statement that resolution saw in its place.
type stated struct {
	id      string // of the statement
	name    string // its own
	at      string // the time that it is of
	origin  string // the export that it came from
	element []byte
	err     error // what kept it from being read
}

func readStated(rec extsort.Record) (m stated) {
	id, _, ok := bytes.Cut(rec.Key, []byte{0, 1})
	u := unpacker{left: rec.Value}
	m = stated{id: string(id), name: u.string(), at: u.string(), origin: u.string(), element: u.left, err: u.err}
	if !ok {
		m.err = errRecord
	}
	return m
}

// archiveDuplicate archives an adopted memory for an older one of another export that says the same
// in the same words: programs that give new ids with each export tell everything twice. What one
// export has kept apart stays apart, and so do words that only have one hash by the rules of PAM
// §6.
func (d *adopter) archiveDuplicate(m, older *stated) ([]byte, error) {
	o, err := readObject(m.element)
	if err != nil {
		return nil, err
	}
	first, err := readObject(older.element)
	if err != nil {
		return nil, err
	}
	words := func(o map[string]any) string {
		content, _ := o["content"].(string)
		return strings.Join(strings.Fields(content), " ")
	}
	if o["status"] != active || first["status"] != active || words(o) != words(first) {
		return m.element, nil
	}
	o["status"] = archived
	meta := made(o, "metadata")
	meta["status_reason"], meta["duplicate_of"] = duplicateReason, older.name
	delete(meta, "status_by")
	d.result.Stats.Duplicates++
	r := newRelation(supports, m.name, older.name, newestOf(o))
	raw, err := r.AppendCanonical(nil)
	if err != nil {
		return nil, err
	}
	if err := d.supports.Add([]byte(r.ID), raw); err != nil {
		return nil, err
	}
	return canonical(o)
}

// linkKey sorts the relations of a store.
func linkKey(r *pamio.Relation) []byte {
	return tupleString(tupleString(tupleString(tupleString(nil, r.From), r.To), r.Type), r.ID)
}
