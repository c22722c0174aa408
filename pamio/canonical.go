package pamio

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/gowebpki/jcs"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Reasons why JSON has no canonical form; a [CanonicalError] wraps one of them.
var (
	ErrDuplicateKey  = errors.New("an object has the same key twice")
	ErrBigInteger    = errors.New("an integer lies beyond 2^53-1 and would be rounded")
	ErrLoneSurrogate = errors.New(`a \u escape names half of a surrogate pair`)
	ErrInvalidUTF8   = errors.New("a string is not UTF-8")
	ErrNumberRange   = errors.New("a number is too large for a double")
)

// CanonicalError says where a value has no canonical form, and why.
type CanonicalError struct {
	// Pointer is the JSON pointer (RFC 6901) of the value; "" is the whole.
	Pointer string
	Err     error
}

func (e *CanonicalError) Error() string {
	at := e.Pointer
	if at == "" {
		at = "the value"
	}
	return fmt.Sprintf("canonicalize JSON: %s: %v", at, e.Err)
}

func (e *CanonicalError) Unwrap() error { return e.Err }

// Canonicalize gives the RFC 8785 canonical form of one JSON value. Bytes that are canonical
// already are returned as they stand, so the result may be src itself. What JSON readers disagree
// on has no canonical form: a *[CanonicalError] tells which of the reasons above holds where. Text
// that is not JSON gives a *jsonscan.SyntaxError.
func Canonicalize(src []byte) ([]byte, error) {
	if isCanonical(src) {
		return src, nil
	}
	d, err := jsonscan.Parse(src, 0)
	if err != nil {
		return nil, fmt.Errorf("canonicalize JSON: %w", err)
	}
	const none = jsonscan.DuplicateKey | jsonscan.BigInteger | jsonscan.LoneSurrogate | jsonscan.BadUTF8
	if d.Root().Flags()&none != 0 {
		return nil, refusal(d.Root(), none)
	}
	out, err := jcs.Transform(src)
	if err != nil {
		// All that is left to refuse after the strict pass; the library's message quotes the
		// document.
		return nil, &CanonicalError{Pointer: outOfRange(d.Root()), Err: ErrNumberRange}
	}
	return out, nil
}

// CanonicalizeNode is [Canonicalize] for a value that is parsed already, which is quicker.
func CanonicalizeNode(n jsonscan.Node) ([]byte, error) {
	if n.CanonicalButNumbers(isCanonicalNumber) {
		return n.Raw(), nil
	}
	return Canonicalize(n.Raw())
}

// refusal finds the first value that carries one of the flags of its own.
func refusal(n jsonscan.Node, flags jsonscan.Flag) error {
	pointer := ""
	for {
		next, step := flagged(n, flags)
		if !next.Exists() {
			return &CanonicalError{Pointer: pointer, Err: reasonFor(n.Flags())}
		}
		n, pointer = next, pointer+step
	}
}

// flagged is the first child with one of the flags. A key that carries one counts as its object's
// fault.
func flagged(n jsonscan.Node, flags jsonscan.Flag) (child jsonscan.Node, step string) {
	i := 0
	for v := range n.Items() {
		if v.Flags()&flags != 0 {
			return v, "/" + strconv.Itoa(i)
		}
		i++
	}
	for k, v := range n.Fields() {
		if k.Flags()&flags != 0 {
			return jsonscan.Node{}, ""
		}
		if v.Flags()&flags != 0 {
			return v, "/" + pointerEscape.Replace(k.Str())
		}
	}
	return jsonscan.Node{}, ""
}

var pointerEscape = strings.NewReplacer("~", "~0", "/", "~1")

func reasonFor(f jsonscan.Flag) error {
	switch {
	case f&jsonscan.LoneSurrogate != 0:
		return ErrLoneSurrogate
	case f&jsonscan.BadUTF8 != 0:
		return ErrInvalidUTF8
	case f&jsonscan.BigInteger != 0:
		return ErrBigInteger
	default:
		return ErrDuplicateKey
	}
}

// outOfRange is the pointer of the first number beyond the doubles.
func outOfRange(n jsonscan.Node) string {
	pointer, _ := numberOutOfRange(n)
	return pointer
}

func numberOutOfRange(n jsonscan.Node) (string, bool) {
	if n.Kind() == jsonscan.Number {
		_, err := strconv.ParseFloat(string(n.Raw()), 64)
		return "", err != nil
	}
	i := 0
	for v := range n.Items() {
		if p, ok := numberOutOfRange(v); ok {
			return "/" + strconv.Itoa(i) + p, true
		}
		i++
	}
	for k, v := range n.Fields() {
		if p, ok := numberOutOfRange(v); ok {
			return "/" + pointerEscape.Replace(k.Str()) + p, true
		}
	}
	return "", false
}
