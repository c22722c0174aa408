package chatgpt

import (
	"bytes"
	"strconv"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// object writes one JSON object into a buffer that grows.
type object struct {
	buf   []byte
	first bool
}

func (o *object) open() {
	o.buf = append(o.buf, '{')
	o.first = true
}

// key starts a field whose name needs no escapes.
func (o *object) key(name string) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(o.buf, '"')
	o.buf = append(o.buf, name...)
	o.buf = append(o.buf, '"', ':')
}

// text writes a string field.
func (o *object) text(name, value string) {
	o.key(name)
	o.buf = pamio.AppendString(o.buf, value)
}

// put copies a value under a name.
func (o *object) put(name string, v jsonscan.Node, loss *normalize.Loss) {
	o.key(name)
	o.buf = v.AppendCompact(o.buf)
	loss.Raw += normalize.Leaves(v)
}

// verbatim copies a field as the source has it.
func (o *object) verbatim(k, v jsonscan.Node, loss *normalize.Loss) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(append(o.buf, k.Raw()...), ':')
	o.buf = v.AppendCompact(o.buf)
	loss.Raw += normalize.Leaves(v)
}

// shadow keeps source fields whose names are ours.
func (o *object) shadow(fields []jsonscan.Node, loss *normalize.Loss) {
	if len(fields) == 0 {
		return
	}
	o.key(keyShadowed)
	o.open()
	for i := 0; i < len(fields); i += 2 {
		o.verbatim(fields[i], fields[i+1], loss)
	}
	o.buf = append(o.buf, '}')
	o.first = false
}

// close ends the object that began at start and gives a copy of it; nil when it is empty.
func (o *object) close(start int) pamio.RawJSON {
	o.buf = append(o.buf, '}')
	var out pamio.RawJSON
	if len(o.buf)-start > 2 {
		out = bytes.Clone(o.buf[start:])
	}
	o.buf = o.buf[:start]
	return out
}

// name starts a field of any name.
func (o *object) name(name string) {
	if !o.first {
		o.buf = append(o.buf, ',')
	}
	o.first = false
	o.buf = append(pamio.AppendString(o.buf, name), ':')
}

// copy writes a field that has a value.
func (o *object) copy(name string, v jsonscan.Node) {
	if v.Exists() {
		o.key(name)
		o.buf = v.AppendCompact(o.buf)
	}
}

func (o *object) bool(name string, v bool) {
	o.key(name)
	o.buf = strconv.AppendBool(o.buf, v)
}

// time writes a time as a number of seconds, or as the literal that the source had while it still
// means the same. An inherited time was not in the source.
func (o *object) time(name, value string, literal jsonscan.Node, inherited bool) {
	t, ok := normalize.ParseInstant(value)
	was, had := readTime(literal)
	switch {
	case !ok, inherited, had && was == t:
		o.copy(name, literal)
	default:
		o.key(name)
		o.buf = t.AppendSeconds(o.buf)
	}
}
