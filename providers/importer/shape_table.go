package importer

import (
	"encoding/binary"
	"maps"
	"slices"
)

// shapeTable has shapes, each once: the members of an archive are a few kinds of files.
type shapeTable struct {
	shapes  map[string]*shaped
	objects map[string]keptObject // by their content
	weight  int                   // about how much memory all of that takes, in bytes
}

// keptObject is an object of a shape and its number.
type keptObject struct {
	number int
	keys   map[string]byte
}

func newShapeTable() shapeTable {
	return shapeTable{shapes: map[string]*shaped{}, objects: map[string]keptObject{}}
}

// keepShape gives the shape of the table that is the same; it becomes one if there is none. A shape
// comes with an error is kept apart.
func (t *shapeTable) keepShape(s Shape, err error) *shaped {
	flags := byte(0)
	for i, is := range []bool{s.Empty, s.Lines, s.SQLite, s.Root != nil} {
		if is {
			flags |= 1 << i
		}
	}
	key := append([]byte{s.Top, flags}, s.Wrapper...)            // keys are raw JSON, without a zero byte
	key = binary.AppendUvarint(append(key, 0), uint64(s.Others)) //nolint:gosec // counts are not negative
	if s.Root != nil {
		s.Root = t.keepObject(s.Root, &key)
	}
	key = binary.AppendUvarint(key, uint64(len(s.Objects)))
	for i, o := range s.Objects {
		s.Objects[i] = t.keepObject(o, &key)
	}
	for _, path := range s.paths {
		key = binary.BigEndian.AppendUint64(key, path)
	}
	if same, ok := t.shapes[string(key)]; ok && err == nil {
		return same
	}
	t.weight += s.weight()
	kept := &shaped{s, err}
	if err == nil {
		t.weight += len(key)
		t.shapes[string(key)] = kept
	}
	return kept
}

// keepObject gives the object of the table that is the same, and appends its number to a key.
func (t *shapeTable) keepObject(o map[string]byte, key *[]byte) map[string]byte {
	var name []byte
	for _, k := range slices.Sorted(maps.Keys(o)) {
		name = append(append(append(name, k...), 0), o[k]) // as above
	}
	same, ok := t.objects[string(name)]
	if !ok {
		same = keptObject{len(t.objects), o}
		t.objects[string(name)] = same
		t.weight += 128 + len(name) + 32*len(o)
	}
	*key = binary.AppendUvarint(*key, uint64(same.number)) //nolint:gosec // counts are not negative
	return same.keys
}
