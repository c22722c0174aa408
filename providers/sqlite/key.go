package sqlite

import "bytes"

// The key of a sorted record: for each value its text with 00 written as 00 FF, and 00 01 behind
// it; then 00 00, the index of the source and the number of the row.

// lost is the key of rows that hang on rows that are not there; it sorts behind all others.
var lost = []byte{0xFF, 0, 1, 0, 0}

// nobody is the key of a value that names nothing.
var nobody = encode([]string{noKey})

func encode(values []string) []byte {
	var out []byte
	for _, v := range values {
		out = append(out, bytes.ReplaceAll([]byte(v), []byte{0}, []byte{0, 0xFF})...)
		out = append(out, 0, 1)
	}
	return append(out, 0, 0)
}

func decode(key []byte) []string {
	var out []string
	for part := range bytes.SplitSeq(key[:len(key)-2], []byte{0, 1}) {
		out = append(out, string(bytes.ReplaceAll(part, []byte{0, 0xFF}, []byte{0})))
	}
	return out[:len(out)-1]
}

func entry(key []byte, source int, id int64) []byte {
	return ordered(append(bytes.Clone(key), byte(source)), id)
}

func split(record []byte) (key []byte, source int, id int64) {
	n := len(record) - 9
	return record[:n], int(record[n]), unordered(record[n+1:])
}
