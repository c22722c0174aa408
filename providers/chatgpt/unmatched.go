package chatgpt

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

// seen watches the conversations that are cut, so that what sidecars say of conversations that are
// not in the archive is kept as records. Without such sidecars it does nothing.
type seen struct {
	j       *joined
	pending map[string]bool // ids of conversations that sidecars speak of and that were not seen
}

func newSeen(j *joined) *seen {
	s := &seen{j: j, pending: map[string]bool{}}
	if j == nil || j.old {
		return s
	}
	for id := range j.feedback {
		s.pending[id] = true
	}
	for id := range j.links {
		s.pending[id] = true
	}
	return s
}

// watch gives a yield that looks at the ids of the elements that pass.
func (s *seen) watch(yield func(importer.Unit, error) bool) func(importer.Unit, error) bool {
	if len(s.pending) == 0 {
		return yield
	}
	return func(u importer.Unit, err error) bool {
		if err == nil && u.Err == nil && u.Role != roleReport {
			for _, id := range topIDs(u.Raw) {
				delete(s.pending, id)
			}
		}
		return yield(u, err)
	}
}

// unmatched gives a unit for each sidecar with entries that no conversation took.
func (s *seen) unmatched() []importer.Unit {
	if s.j == nil || s.j.old {
		return nil
	}
	left := map[int][]record{}
	for _, lists := range []map[string][]record{s.j.feedback, s.j.links} {
		for id := range s.pending {
			for _, r := range lists[id] {
				left[r.member.Index] = append(left[r.member.Index], r)
			}
		}
	}
	for _, r := range s.j.loose {
		left[r.member.Index] = append(left[r.member.Index], r)
	}
	var out []importer.Unit
	for _, index := range slices.Sorted(maps.Keys(left)) {
		records := left[index]
		slices.SortFunc(records, func(a, b record) int { return a.at - b.at })
		out = append(out, importer.Unit{Member: records[0].member, Role: roleUnmatched, Context: unmatchedEntries{records, s.j.accountOf(records[0].member)}})
	}
	return out
}

// unmatchedEntries is the context of such a unit.
type unmatchedEntries struct {
	records []record
	account string
}

// leftover makes records of entries that no conversation took.
func leftover(u importer.Unit) []importer.Item {
	left, _ := u.Context.(unmatchedEntries)
	var items []importer.Item
	for _, e := range left.records {
		doc, err := jsonscan.Parse(e.text, 0)
		if err != nil {
			continue // it was parsed before
		}
		root := doc.Root()
		r := &importer.Record{
			Kind: importer.RecordSetting, Provider: Provider, ID: root.Get("id").Str(), Pointer: "/" + strconv.Itoa(e.at),
			Title: root.Get("title").Str(), AccountID: left.account, Raw: e.text,
		}
		if root.Get("rating").Exists() {
			r.Kind = importer.RecordFeedback
		}
		for key, at := range map[string]*string{"create_time": &r.CreatedAt, "update_time": &r.UpdatedAt} {
			if t, ok := lossless.ReadTime(root.Get(key)); ok && t != normalize.Epoch {
				*at = t.String()
			}
		}
		items = append(items, importer.Item{Record: r})
	}
	return items
}

// topIDs are the values of conversation_id and id of an object, without reading what is in it.
// Broken JSON gives what can be seen.
func topIDs(raw []byte) []string {
	var ids []string
	depth := 0
	var key []byte // the last string at the top, when it may be a key
	want := false  // a value of an id follows
	for i := 0; i < len(raw); i++ {
		switch c := raw[i]; c {
		case '"':
			start := i
			for i++; i < len(raw) && raw[i] != '"'; i++ {
				if raw[i] == '\\' {
					i++
				}
			}
			if depth != 1 || i >= len(raw) {
				continue
			}
			text := raw[start : i+1]
			if want {
				if d, err := jsonscan.Parse(text, 0); err == nil {
					ids = append(ids, d.Root().Str())
				}
				want = false
				key = nil
				continue
			}
			key = text
		case ':':
			if depth == 1 {
				want = bytes.Equal(key, []byte(`"conversation_id"`)) || bytes.Equal(key, []byte(`"id"`))
			}
		case '{', '[':
			depth++
			want = false
		case '}', ']':
			depth--
		case ',':
			if depth == 1 {
				want, key = false, nil
			}
		}
	}
	return ids
}
