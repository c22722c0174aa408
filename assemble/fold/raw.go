package fold

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// metadata merges raw_metadata objects by key. source is what created_at_source has to say about
// the time that won, follow are the members that are taken from one version, see followers.
func (m *merger) metadata(pointer string, source pamio.RawJSON, follow map[string]int, versions []version[pamio.RawJSON]) pamio.RawJSON {
	nodes := m.parse(versions)
	if len(nodes) == 0 {
		return nil
	}
	for _, v := range nodes {
		if v.value.Kind() != jsonscan.Object {
			m.err = errors.Join(m.err, errors.New("raw_metadata is not an object"))
			return nil
		}
	}
	fixed := m.following(pointer, follow, versions)
	merged := m.object(nil, pointer, nodes, func(key jsonscan.Node) (pamio.RawJSON, bool) {
		if key.Is(createdAtSource) {
			return source, true
		}
		value, ok := fixed[key.Str()]
		return value, ok
	})
	if string(merged) == "{}" {
		return nil
	}
	return merged
}

// whole takes the latest value and notes the others.
func (m *merger) whole(pointer string, versions []version[pamio.RawJSON]) pamio.RawJSON {
	nodes := m.parse(versions)
	if len(nodes) == 0 {
		return nil
	}
	return m.scalar(nil, pointer, nodes)
}

// parse reads the versions that are there. Snapshots were checked when they were written; one that
// is not JSON after all makes the fold fail.
func (m *merger) parse(versions []version[pamio.RawJSON]) []version[jsonscan.Node] {
	var out []version[jsonscan.Node]
	for _, v := range versions {
		if len(v.value) == 0 {
			continue
		}
		doc, err := jsonscan.Parse(v.value, 0)
		if err != nil {
			m.err = errors.Join(m.err, err)
			continue
		}
		out = append(out, version[jsonscan.Node]{v.order, doc.Root()})
	}
	return out
}

// value appends the merged form of versions, oldest first: objects by key, arrays of objects with
// ids by id, of anything else the latest.
func (m *merger) value(dst []byte, pointer string, versions []version[jsonscan.Node]) []byte {
	last := versions[len(versions)-1].value
	if len(versions) == 1 || !slices.ContainsFunc(versions, func(v version[jsonscan.Node]) bool {
		return !bytes.Equal(v.value.Raw(), last.Raw())
	}) {
		return last.AppendCompact(dst)
	}
	switch last.Kind() {
	case jsonscan.Object:
		return m.object(dst, pointer, m.ofKind(pointer, versions), nil)
	case jsonscan.Array:
		if arrays := m.identified(pointer, versions); arrays != nil {
			return m.array(dst, pointer, arrays)
		}
	}
	return m.scalar(dst, pointer, versions)
}

func (m *merger) scalar(dst []byte, pointer string, versions []version[jsonscan.Node]) []byte {
	last := versions[len(versions)-1].value
	for _, v := range versions {
		if !bytes.Equal(v.value.Raw(), last.Raw()) && !normalize.Equal(v.value, last) {
			m.lose(pointer, v.order, v.value.AppendCompact(nil))
		}
	}
	return last.AppendCompact(dst)
}

// ofKind keeps the versions of the kind of the latest and notes the others.
func (m *merger) ofKind(pointer string, versions []version[jsonscan.Node]) []version[jsonscan.Node] {
	kind := versions[len(versions)-1].value.Kind()
	out := make([]version[jsonscan.Node], 0, len(versions))
	for _, v := range versions {
		if v.value.Kind() == kind {
			out = append(out, v)
		} else {
			m.lose(pointer, v.order, v.value.AppendCompact(nil))
		}
	}
	return out
}

// object merges objects. Keys come in the order of the latest, then those that only older ones
// have. instead may give the value of a key itself; a nil value leaves the key out.
func (m *merger) object(dst []byte, pointer string, versions []version[jsonscan.Node], instead func(key jsonscan.Node) (pamio.RawJSON, bool)) []byte {
	var keys []jsonscan.Node
	found := map[string][]version[jsonscan.Node]{}
	for i := len(versions) - 1; i >= 0; i-- {
		for k, v := range versions[i].value.Fields() {
			name := k.Str()
			if found[name] == nil {
				keys = append(keys, k)
			}
			found[name] = append(found[name], version[jsonscan.Node]{versions[i].order, v})
		}
	}
	dst = append(dst, '{')
	for _, k := range keys {
		if instead != nil {
			if v, ok := instead(k); ok {
				if v != nil {
					dst = appendMember(dst, k, v)
				}
				continue
			}
		}
		same := found[k.Str()]
		slices.Reverse(same) // oldest first again
		dst = append(append(separate(dst), k.Raw()...), ':')
		dst = m.value(dst, pointer+"/"+escape(k.Str()), same)
	}
	return append(dst, '}')
}

// identified gives the arrays when each of them has objects with distinct ids in it, such as
// structural_nodes. Versions that are not arrays at all are noted.
func (m *merger) identified(pointer string, versions []version[jsonscan.Node]) []version[jsonscan.Node] {
	for _, v := range versions {
		seen := map[string]bool{}
		for item := range v.value.Items() {
			id := item.Get("id")
			if id.Kind() != jsonscan.String || seen[id.Str()] {
				return nil
			}
			seen[id.Str()] = true
		}
	}
	return m.ofKind(pointer, versions)
}

func (m *merger) array(dst []byte, pointer string, versions []version[jsonscan.Node]) []byte {
	var ids []string
	found := map[string][]version[jsonscan.Node]{}
	for i := len(versions) - 1; i >= 0; i-- {
		for item := range versions[i].value.Items() {
			id := item.Get("id").Str()
			if found[id] == nil {
				ids = append(ids, id)
			}
			found[id] = append(found[id], version[jsonscan.Node]{versions[i].order, item})
		}
	}
	dst = append(dst, '[')
	for i, id := range ids {
		same := found[id]
		slices.Reverse(same)
		dst = m.value(separate(dst), pointer+"/"+strconv.Itoa(i), same)
	}
	return append(dst, ']')
}

// escape writes a key as a reference token (RFC 6901 §3).
func escape(key string) string {
	return strings.ReplaceAll(strings.ReplaceAll(key, "~", "~0"), "/", "~1")
}
