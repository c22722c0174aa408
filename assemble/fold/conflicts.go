package fold

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// What is listed in raw_metadata.conflicts is bounded, so that snapshots which differ everywhere
// (the same archive read by another importer, say) do not grow a document without end. The
// snapshots themselves keep everything.
const (
	maxConflicts     = 1000
	maxConflictBytes = 1 << 20
)

// merger merges values and notes those that lose.
type merger struct {
	lost []conflict
	rank map[string]int // of pointers, by first appearance
	err  error          // raw values that are not JSON
}

// conflict is a value that lost.
type conflict struct {
	pointer string // RFC 6901, of the place in the folded document
	order   string // of the earliest snapshot that said so
	value   pamio.RawJSON
}

func (m *merger) lose(pointer, order string, value pamio.RawJSON) {
	if m.rank == nil {
		m.rank = map[string]int{}
	}
	if _, ok := m.rank[pointer]; !ok {
		m.rank[pointer] = len(m.rank)
	}
	m.lost = append(m.lost, conflict{pointer, order, value})
}

// distinct puts the conflicts in the order of the document and removes repetitions.
func (m *merger) distinct() []conflict {
	slices.SortFunc(m.lost, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(m.rank[a.pointer], m.rank[b.pointer]), bytes.Compare(a.value, b.value), cmp.Compare(a.order, b.order))
	})
	m.lost = slices.CompactFunc(m.lost, func(a, b conflict) bool {
		return a.pointer == b.pointer && bytes.Equal(a.value, b.value)
	})
	slices.SortFunc(m.lost, func(a, b conflict) int {
		return cmp.Or(cmp.Compare(m.rank[a.pointer], m.rank[b.pointer]), cmp.Compare(a.order, b.order), bytes.Compare(a.value, b.value))
	})
	return m.lost
}

// withConflicts adds raw_metadata.folded, which tells that the document is that of no single
// snapshot, and where values lost raw_metadata.conflicts: objects with pointer, order and value,
// behind what a source has under that name itself, and at the end {"omitted": n} when there are too
// many.
func (m *merger) withConflicts(raw pamio.RawJSON) (pamio.RawJSON, int64, error) {
	if m.err != nil {
		return nil, 0, fmt.Errorf("read raw value: %w", m.err)
	}
	if len(raw) == 0 {
		raw = pamio.RawJSON("{}")
	}
	doc, err := jsonscan.Parse(raw, 0)
	if err != nil {
		return nil, 0, fmt.Errorf("read raw_metadata: %w", err)
	}
	out := []byte{'{'}
	var own jsonscan.Node
	for k, v := range doc.Root().Fields() {
		switch {
		case k.Is("conflicts"):
			own = v
			continue
		case k.Is("folded"):
			continue
		}
		out = appendMember(out, k, v.AppendCompact(nil))
	}
	lost := unlisted(m.distinct(), own)
	out = append(separate(out), `"folded":true`...)
	if len(lost) == 0 && !own.Exists() {
		return append(out, '}'), 0, nil
	}
	out = append(out, `,"conflicts":[`...)
	out = appendOwn(out, own)
	listed, size := 0, 0
	for _, c := range lost {
		c.value = shallow(c.value)
		if listed == maxConflicts || size+len(c.value) > maxConflictBytes {
			break
		}
		out = c.append(separate(out))
		listed++
		size += len(c.value)
	}
	if omitted := len(lost) - listed; omitted > 0 {
		out = append(strconv.AppendInt(append(separate(out), `{"omitted":`...), int64(omitted), 10), '}')
	}
	return append(out, "]}"...), int64(len(lost)), nil
}

// unlisted removes the conflicts that a document lists already: it was folded before, and what lost
// then meets it again.
func unlisted(lost []conflict, own jsonscan.Node) []conflict {
	if own.Kind() != jsonscan.Array {
		return lost
	}
	listed := map[string]bool{}
	for v := range own.Items() {
		listed[string(v.AppendCompact(nil))] = true
	}
	return slices.DeleteFunc(lost, func(c conflict) bool {
		c.value = shallow(c.value)
		return listed[string(c.append(nil))]
	})
}

// shallow is a value as it may stand in a list of conflicts. One that was nested as deeply as a
// document allows would be too deep there and becomes a string of its text.
func shallow(value pamio.RawJSON) pamio.RawJSON {
	const above = 4 // the document, raw_metadata, the list and the object in it
	if _, err := jsonscan.Parse(value, jsonscan.DefaultMaxDepth-above); errors.Is(err, jsonscan.ErrTooDeep) {
		return jsonString(string(value))
	}
	return value
}

// appendOwn appends what a source keeps under the name conflicts itself.
func appendOwn(out []byte, own jsonscan.Node) []byte {
	if own.Kind() != jsonscan.Array {
		return own.AppendCompact(out)
	}
	for v := range own.Items() {
		out = v.AppendCompact(separate(out))
	}
	return out
}

func (c *conflict) append(dst []byte) []byte {
	dst = pamio.AppendString(append(dst, `{"pointer":`...), c.pointer)
	if c.order != "" {
		dst = pamio.AppendString(append(dst, `,"order":`...), c.order)
	}
	dst = append(append(dst, `,"value":`...), c.value...)
	return append(dst, '}')
}

// separate appends the comma that a further element or member needs.
func separate(dst []byte) []byte {
	if c := dst[len(dst)-1]; c != '[' && c != '{' {
		dst = append(dst, ',')
	}
	return dst
}

func appendMember(dst []byte, key jsonscan.Node, value []byte) []byte {
	dst = append(append(separate(dst), key.Raw()...), ':')
	return append(dst, value...)
}

func jsonString(s string) pamio.RawJSON { return pamio.AppendString(nil, s) }
