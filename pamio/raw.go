package pamio

// RawJSON is one JSON value kept as text: compact, valid UTF-8, without duplicate keys and lone
// surrogates. Nil is absent. It is written verbatim, so number lexemes and nulls survive.
type RawJSON []byte

// UnmarshalJSON keeps a copy of the value's text without white space between its tokens. A value
// that is null as a whole is absent.
func (r *RawJSON) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*r = nil
		return nil
	}
	*r = appendCompact(make([]byte, 0, len(b)), b)
	return nil
}

// MarshalJSON gives the text back.
func (r RawJSON) MarshalJSON() ([]byte, error) {
	if r == nil {
		return []byte("null"), nil
	}
	return r, nil
}

// appendCompact appends valid JSON text without the white space outside of its strings.
func appendCompact(dst, src []byte) []byte {
	start := 0
	ascii := true // of no interest
	for i := 0; i < len(src); i++ {
		switch src[i] {
		case ' ', '\t', '\n', '\r':
			dst = append(dst, src[start:i]...)
			start = i + 1
		case '"':
			for i++; i < len(src); i += 2 { // passing over an escape
				if i += plainPrefix(src[i:], &ascii); i < len(src) && src[i] == '"' {
					break
				}
			}
		}
	}
	return append(dst, src[start:]...)
}
