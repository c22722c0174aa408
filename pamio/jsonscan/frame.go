package jsonscan

import "fmt"

// Frame is one value cut out of a stream.
type Frame struct {
	// Raw is the text of the value; empty when TooBig. Between two commas of an array may stand
	// nothing or more than one value: Raw is what stands there, and parsing it fails.
	Raw []byte
	// Offset is where the value starts in the stream, in bytes.
	Offset int64
	// Size is the length of the value in the stream in bytes, known even when TooBig.
	Size int64
	// Index counts the values of the stream from 0, those too big included.
	Index int
	// Wrapper is the key whose array the value is an element of, or "".
	Wrapper string
	// Rest marks the object that had wrapper arrays: Raw is the object without these members,
	// Offset and Size are those of the whole object.
	Rest bool
	// Wrappers are the keys of the arrays that were cut out of a Rest object, in their order, with
	// one that stands twice twice and those of empty arrays too.
	Wrappers []string
	// TooBig tells that the value was longer than the limit and was passed over.
	TooBig bool
}

// FrameOptions set how a stream is cut.
type FrameOptions struct {
	// MaxValue is the greatest size of a value in bytes; longer ones are passed over with TooBig
	// set. 0: no limit.
	MaxValue int64
	// Wrappers are keys of a top-level object whose arrays are cut into elements, too.
	Wrappers []string
}

// A TruncatedError is returned when a stream ends inside a value or before its array is closed.
// Offset is where it ends.
type TruncatedError struct{ Offset int64 }

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("JSON ends too early, at byte %d", e.Offset)
}
