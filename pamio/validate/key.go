package validate

// Ids are keys of tables. Most are UUIDs, which take less than half of their text in binary form,
// so that twice as many records fit into memory and comparing is quicker. Both forms have a first
// byte of their own, so that no text can be taken for a UUID.
const (
	keyUUID byte = iota
	keyText
)

// appendKey appends the key of an id.
func appendKey(dst []byte, id string) []byte {
	start := len(dst)
	dst = append(dst, keyUUID)
	if dst, ok := appendUUID(dst, id); ok {
		return dst
	}
	return append(append(dst[:start], keyText), id...)
}

const uuidLength = len("00000000-0000-0000-0000-000000000000")

// appendUUID appends the 16 bytes of a UUID in lower case. What is written otherwise is no UUID
// here: it must stay another id.
func appendUUID(dst []byte, id string) ([]byte, bool) {
	if len(id) != uuidLength || id[8] != '-' || id[13] != '-' || id[18] != '-' || id[23] != '-' {
		return dst, false
	}
	for i := 0; i < uuidLength; i += 2 {
		if i == 8 || i == 13 || i == 18 || i == 23 { // a hyphen elsewhere is no digit
			i++
		}
		high, low := nibbles[id[i]], nibbles[id[i+1]]
		if high|low < 0 {
			return dst, false
		}
		dst = append(dst, byte(high<<4|low))
	}
	return dst, true
}

// nibbles are the values of digits, negative for other bytes.
var nibbles = func() (t [256]int8) {
	for i := range t {
		t[i] = -1
	}
	for i := range "0123456789abcdef" {
		t["0123456789abcdef"[i]] = int8(i)
	}
	return t
}()

// idOf is the id of a key.
func idOf(key []byte) string {
	if key[0] == keyText {
		return string(key[1:])
	}
	const digits = "0123456789abcdef"
	text := make([]byte, 0, uuidLength)
	for i, b := range key[1:] {
		if i == 4 || i == 6 || i == 8 || i == 10 {
			text = append(text, '-')
		}
		text = append(text, digits[b>>4], digits[b&15])
	}
	return string(text)
}
