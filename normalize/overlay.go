package normalize

import (
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Patch puts a value back where it was taken from. Path is a JSON pointer (RFC 6901).
type Patch struct {
	Path  string
	Value []byte // JSON text
}

// EscapePointer writes a key as a segment of a JSON pointer.
func EscapePointer(key string) string {
	if !strings.ContainsAny(key, "~/") {
		return key
	}
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

// UnescapePointer is the inverse of EscapePointer.
func UnescapePointer(segment string) string {
	if !strings.Contains(segment, "~") {
		return segment
	}
	return strings.NewReplacer("~1", "/", "~0", "~").Replace(segment)
}

// AppendOverlay appends a residual with the patches put back: the inverse of
// [Taken.AppendResidual]. A patch replaces what stands at its path; fields and elements that are
// not there are added at the end, objects on the way are made.
func AppendOverlay(dst []byte, residual jsonscan.Node, patches []Patch) []byte {
	if len(patches) == 0 && residual.Exists() {
		return residual.AppendCompact(dst)
	}
	for _, p := range patches {
		if p.Path == "" {
			return append(dst, p.Value...)
		}
	}
	groups, order := group(patches)
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	if residual.Kind() == jsonscan.Array {
		dst = append(dst, '[')
		i := 0
		for v := range residual.Items() {
			comma()
			key := strconv.Itoa(i)
			dst = AppendOverlay(dst, v, groups[key])
			delete(groups, key)
			i++
		}
		for _, key := range order {
			if ps, ok := groups[key]; ok {
				comma()
				dst = AppendOverlay(dst, jsonscan.Node{}, ps)
			}
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for k, v := range residual.Fields() {
		comma()
		dst = append(append(dst, k.Raw()...), ':')
		key := k.Str()
		dst = AppendOverlay(dst, v, groups[key])
		delete(groups, key)
	}
	for _, key := range order {
		if ps, ok := groups[key]; ok {
			comma()
			dst = append(pamio.AppendString(dst, key), ':')
			dst = AppendOverlay(dst, jsonscan.Node{}, ps)
			delete(groups, key)
		}
	}
	return append(dst, '}')
}

// group sorts patches by the first segment of their paths and cuts it off.
func group(patches []Patch) (groups map[string][]Patch, order []string) {
	groups = make(map[string][]Patch, len(patches))
	for _, p := range patches {
		segment, rest := strings.TrimPrefix(p.Path, "/"), ""
		if i := strings.IndexByte(segment, '/'); i >= 0 {
			segment, rest = segment[:i], segment[i:]
		}
		key := UnescapePointer(segment)
		if _, ok := groups[key]; !ok {
			order = append(order, key)
		}
		groups[key] = append(groups[key], Patch{rest, p.Value})
	}
	return groups, order
}
