package validate

// memberTable finds the field of a key in one or two comparisons: keys of a schema are few, and
// differ in their length and first letter.
type memberTable [64][]member

type member struct {
	key string
	field
}

func newMemberTable(fields map[string]field) (t memberTable) {
	for key, f := range fields {
		at := &t[slotOf(len(key), firstOf(key))]
		*at = append(*at, member{key, f})
	}
	return t
}

func (t *memberTable) get(key []byte) (field, bool) {
	slot := t[slotOf(len(key), firstOf(key))]
	for i := range slot {
		if m := &slot[i]; m.key == string(key) {
			return m.field, true
		}
	}
	return field{}, false
}

func slotOf(size int, first byte) int { return (size ^ int(first)*5) & 63 }

func firstOf[T string | []byte](key T) byte {
	if len(key) == 0 {
		return 0
	}
	return key[0]
}
