package jsonscan

import "fmt"

// level is a container that is open.
type level struct {
	at     uint32 // its entry
	flags  Flag
	object bool
}

func fail(at int, reason string) error { return &SyntaxError{Offset: at, Reason: reason} }

// run is the parser: one loop over the tokens, with the state of the innermost container in
// variables. Strings and numbers are read by functions of their own.
func (d *Doc) run(maxDepth int) error {
	var (
		src     = d.src
		entries = d.entries
		in      level // the innermost container
		keys    *keyFilter
		depth   int
		err     error
	)
	i, _ := space(src, 0)
	for {
		if in.object {
			// A key and its colon.
			if i >= len(src) || src[i] != '"' {
				return fail(i, "expected a key")
			}
			start := i
			var f Flag
			if i, f, err = str(src, i); err != nil {
				return err
			}
			entries = append(entries, entry{start: uint32(start), end: uint32(i), next: uint32(len(entries) + 1), what: what(String, f)})
			in.flags |= f &^ Escaped
			keys.note(src, start+1, i-1, f)
			i, f = space(src, i)
			in.flags |= f
			if i >= len(src) || src[i] != ':' {
				return fail(i, "expected a colon")
			}
			i, f = space(src, i+1)
			in.flags |= f
		}
		if i >= len(src) {
			return fail(i, "unexpected end")
		}
		// A value.
		start, f, k := i, Flag(0), Invalid
		switch c := src[i]; c {
		case '"':
			k = String
			if i, f, err = str(src, i); err != nil {
				return err
			}
		case '{', '[':
			if depth >= maxDepth {
				return &SyntaxError{Offset: i, Reason: fmt.Sprintf("nested deeper than %d", maxDepth), Err: ErrTooDeep}
			}
			d.levels = append(d.levels, in)
			in = level{at: uint32(len(entries)), object: c == '{'}
			if depth == len(d.filters) {
				d.filters = append(d.filters, keyFilter{})
			}
			keys = &d.filters[depth]
			keys.reset()
			depth++
			entries = append(entries, entry{start: uint32(i)})
			i, f = space(src, i+1)
			in.flags |= f
			if i >= len(src) || src[i] != c+2 { // '{'+2 == '}' and '['+2 == ']'
				continue
			}
			// An empty container is closed below.
		case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
			k = Number
			if i, f, err = number(src, i); err != nil {
				return err
			}
		case 't':
			k = Bool
			if i, err = word(src, i, "true"); err != nil {
				return err
			}
		case 'f':
			k = Bool
			if i, err = word(src, i, "false"); err != nil {
				return err
			}
		case 'n':
			k = Null
			if i, err = word(src, i, "null"); err != nil {
				return err
			}
		default:
			return fail(i, fmt.Sprintf("unexpected character %q", c))
		}
		if k != Invalid {
			entries = append(entries, entry{start: uint32(start), end: uint32(i), next: uint32(len(entries) + 1), what: what(k, f)})
			in.flags |= f &^ Escaped
		}
		// Behind a value: containers are closed until one goes on.
		for {
			i, f = space(src, i)
			in.flags |= f
			if depth == 0 {
				if i != len(src) {
					return fail(i, "text after the value")
				}
				d.entries = entries
				return nil
			}
			if i >= len(src) {
				return fail(i, "unexpected end")
			}
			c := src[i]
			if c == ',' {
				i, f = space(src, i+1)
				in.flags |= f
				break
			}
			if in.object && c != '}' || !in.object && c != ']' {
				return fail(i, "expected a comma or the end of the container")
			}
			i++
			e := &entries[in.at]
			e.end, e.next = uint32(i), uint32(len(entries))
			k := Array
			if in.object {
				k = Object
				if keys.suspect && d.duplicates(entries, in.at) {
					in.flags |= DuplicateKey
				}
			}
			e.what = what(k, in.flags)
			f := in.flags
			depth--
			in = d.levels[depth]
			d.levels = d.levels[:depth]
			in.flags |= f
			if depth > 0 {
				keys = &d.filters[depth-1]
			}
		}
	}
}

// space passes over white space, of which there mostly is none or one.
func space(src []byte, i int) (int, Flag) {
	if i >= len(src) || src[i] > ' ' {
		return i, 0
	}
	return spaces(src, i)
}

func spaces(src []byte, i int) (int, Flag) {
	start := i
	for i < len(src) && isSpace(src[i]) {
		i++
	}
	if i == start {
		return i, 0
	}
	return i, Spaced
}

func word(src []byte, i int, w string) (end int, err error) {
	if len(src)-i < len(w) || string(src[i:i+len(w)]) != w {
		return i, fail(i, "unknown literal")
	}
	return i + len(w), nil
}
