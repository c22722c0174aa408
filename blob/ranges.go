package blob

import "fmt"

// Span gives the bytes [from, to) that r selects of an object of the given size, clipped to it: a
// range that begins at or past the end selects nothing.
func (r Range) Span(size int64) (from, to int64) {
	if r.Offset >= size {
		return size, size
	}
	if r.Length == 0 || r.Length > size-r.Offset {
		return r.Offset, size
	}
	return r.Offset, r.Offset + r.Length
}

// Valid refuses negative numbers.
func (r Range) Valid() error {
	if r.Offset < 0 || r.Length < 0 {
		return fmt.Errorf("invalid range: offset %d, length %d", r.Offset, r.Length)
	}
	return nil
}

// Valid refuses two conditions at once.
func (o PutOptions) Valid() error {
	if o.IfAbsent && o.IfMatch != "" {
		return fmt.Errorf("invalid put options: IfAbsent and IfMatch exclude each other")
	}
	return nil
}
