package fold

import (
	"slices"
	"strconv"

	"github.com/pamline/pamline/pamio"
)

// text takes the latest value that is there.
func text[T any](m *merger, pointer string, versions []version[T], get func(T) string) string {
	return latest(m, pointer, versions,
		func(v T) (string, bool) { s := get(v); return s, s != "" },
		func(a, b string) bool { return a == b }, jsonString)
}

// textPointer is text for values where the empty string is one of its own.
func textPointer[T any](m *merger, pointer string, versions []version[T], get func(T) *string) *string {
	return latest(m, pointer, versions,
		func(v T) (*string, bool) { s := get(v); return s, s != nil },
		func(a, b *string) bool { return *a == *b },
		func(s *string) pamio.RawJSON { return jsonString(*s) })
}

func count[T any](m *merger, pointer string, versions []version[T], get func(T) *int64) *int64 {
	return latest(m, pointer, versions,
		func(v T) (*int64, bool) { n := get(v); return n, n != nil },
		func(a, b *int64) bool { return *a == *b },
		func(n *int64) pamio.RawJSON { return strconv.AppendInt(nil, *n, 10) })
}

// flag has a value in every version: false is written as absence.
func flag[T any](m *merger, pointer string, versions []version[T], get func(T) bool) bool {
	return latest(m, pointer, versions,
		func(v T) (bool, bool) { return get(v), true },
		func(a, b bool) bool { return a == b },
		func(b bool) pamio.RawJSON { return strconv.AppendBool(nil, b) })
}

func texts[T any](m *merger, pointer string, versions []version[T], get func(T) []string) []string {
	return latest(m, pointer, versions,
		func(v T) ([]string, bool) { s := get(v); return s, len(s) > 0 },
		slices.Equal[[]string],
		func(s []string) pamio.RawJSON {
			out := pamio.RawJSON{'['}
			for _, one := range s {
				out = pamio.AppendString(separate(out), one)
			}
			return append(out, ']')
		})
}

// latest takes the value of the latest version that has one and notes the others that differ from
// it.
func latest[T, V any](m *merger, pointer string, versions []version[T], get func(T) (V, bool), equal func(a, b V) bool, write func(V) pamio.RawJSON) V {
	var won V
	found := false
	for i := len(versions) - 1; i >= 0; i-- {
		v, ok := get(versions[i].value)
		switch {
		case !ok:
		case !found:
			won, found = v, true
		case !equal(won, v):
			m.lose(pointer, versions[i].order, write(v))
		}
	}
	return won
}

// unite merges lists of things that have an identity. Things come in the order of the latest list
// that is not empty, then those that only older lists have. The nth thing of an identity in one
// list is the nth in the others.
func unite[T any](m *merger, pointer string, versions []version[[]T], identity func(*T) string, merge func(pointer string, versions []version[*T]) T) []T {
	type slot struct {
		identity string
		nth      int
	}
	var order []slot
	found := map[slot][]version[*T]{}
	for i := len(versions) - 1; i >= 0; i-- {
		seen := map[string]int{}
		for j := range versions[i].value {
			thing := &versions[i].value[j]
			s := slot{identity: identity(thing)}
			s.nth = seen[s.identity]
			seen[s.identity]++
			if found[s] == nil {
				order = append(order, s)
			}
			found[s] = append(found[s], version[*T]{versions[i].order, thing})
		}
	}
	var out []T
	for i, s := range order {
		same := found[s]
		if len(same) == 1 {
			out = append(out, *same[0].value)
			continue
		}
		slices.Reverse(same) // oldest first again
		out = append(out, merge(pointer+"/"+strconv.Itoa(i), same))
	}
	return out
}

// project is the versions of one part.
func project[T, V any](versions []version[T], get func(T) V) []version[V] {
	out := make([]version[V], len(versions))
	for i, v := range versions {
		out[i] = version[V]{v.order, get(v.value)}
	}
	return out
}
