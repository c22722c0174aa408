package pamio

import (
	"fmt"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// head writes the members of a store outside of its collections, as they stand in another store but
// for those that are set or removed. It keeps members that PAM 1.0 does not know, nulls, and the
// order.
type head struct {
	raw    []byte
	values map[string][]byte // nil: the member is removed
	added  []string          // keys that were set, in order
}

func newHead(s *Scalars) *head { return &head{raw: s.Raw, values: map[string][]byte{}} }

func (h *head) set(key string, value []byte) {
	if _, twice := h.values[key]; !twice {
		h.added = append(h.added, key)
	}
	h.values[key] = value
}

func (h *head) setText(key, value string) { h.set(key, AppendString(nil, value)) }

func (h *head) remove(key string) { h.set(key, nil) }

// append writes an object that stays open. Keys of collections are left out.
func (h *head) append(dst []byte) ([]byte, error) {
	d, err := jsonscan.Parse(h.raw, maxDepth)
	if err != nil {
		return nil, fmt.Errorf("write store: %w", err)
	}
	dst = append(dst, '{')
	member := func(key, value []byte) {
		if dst[len(dst)-1] != '{' {
			dst = append(dst, ',')
		}
		dst = append(append(append(dst, key...), ':'), value...)
	}
	written := map[string]bool{}
	for _, c := range collections {
		written[c] = true
	}
	for k, v := range d.Root().Fields() {
		key := k.Str()
		if written[key] {
			continue
		}
		written[key] = true
		value, changed := h.values[key]
		switch {
		case !changed:
			member(k.Raw(), v.Raw())
		case value != nil:
			member(k.Raw(), value)
		}
	}
	for _, key := range h.added {
		if !written[key] && h.values[key] != nil {
			member(AppendString(nil, key), h.values[key])
		}
	}
	return dst, nil
}

// setIntegrity sets the computed block. It names the canonicalization unless there was a block that
// left it out.
func (h *head) setIntegrity(old *Integrity, in Integrity) {
	in.Canonicalization = RFC8785
	if old != nil {
		in.Canonicalization = old.Canonicalization
	}
	block := appendOptional([]byte{'{'}, "canonicalization", in.Canonicalization)
	block = appendMember(block, "checksum", in.Checksum)
	h.set("integrity", append(appendCount(block, "total_memories", &in.TotalMemories), '}'))
}
