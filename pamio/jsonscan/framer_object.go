package jsonscan

import (
	"slices"
)

// object is the state of a top-level object whose wrapper arrays are cut out. Until there is one
// the text is kept as it stands, so that an object without wrappers comes out byte for byte.
type object struct {
	at       int64
	text     sink
	seen     []string // wrapper keys so far
	expect   expected
	dangling bool // text ends with "{" or a comma that belongs to a member that was cut out
}

type expected uint8

const (
	keyOrEnd expected = iota
	key
	commaOrEnd
)

func (f *Framer) openObject() {
	f.state = inObject
	f.object = object{at: f.src.offset(), text: sink{b: f.object.text.b[:0], limit: f.o.MaxValue}}
	f.object.text.put([]byte{'{'})
	f.src.pos++
}

// member reads on inside the object; done tells that fr is the whole of it, or what is left of it.
func (f *Framer) member(dst []byte) (fr Frame, done bool, err error) {
	o := &f.object
	start := o.text.mark()
	c, err := f.src.gap(&o.text)
	if err != nil {
		return f.objectFrame(dst), true, err
	}
	if o.dangling {
		o.text.cut(start)
	}
	switch {
	case c == '}' && o.expect != key:
		f.src.pos++
		if o.dangling {
			o.text.dropComma()
		}
		o.text.put([]byte{'}'})
		f.state = between
		return f.objectFrame(dst), true, nil
	case c == ',' && o.expect == commaOrEnd:
		f.src.pos++
		o.expect = key
		if !o.dangling {
			o.text.put([]byte{','})
		}
		return Frame{}, false, nil
	case c == '"' && o.expect != commaOrEnd:
		return f.keyAndValue(dst, start)
	}
	return f.malformed(dst, c)
}

// keyAndValue reads one member. start is where its text begins, should it have to be taken out
// again.
func (f *Framer) keyAndValue(dst []byte, start int) (fr Frame, done bool, err error) {
	o := &f.object
	// The key with what stands around its colon, apart from the rest until it is known whether it
	// stays there.
	head := sink{limit: f.o.MaxValue}
	if head.limit > 0 {
		head.limit = max(head.limit, minKeyLimit)
	}
	c, name, err := f.head(&head)
	if wrapper, ok := f.wrapperKey(name); ok && err == nil && c == '[' {
		f.src.pos++
		o.text.cut(start)
		o.dangling = true
		o.expect = commaOrEnd
		o.seen = append(o.seen, wrapper)
		f.state, f.wrapper = inArray, wrapper
		return Frame{}, false, nil
	}
	o.dangling = false
	o.text.putSink(&head)
	if err != nil {
		return f.objectFrame(dst), true, err
	}
	if name == nil || classes[c] == shut || c == ',' || c == ':' {
		return f.malformed(dst, c)
	}
	o.expect = commaOrEnd
	if err := f.src.run(&o.text); err != nil {
		return f.objectFrame(dst), true, err
	}
	return Frame{}, false, nil
}

// minKeyLimit is the size up to which keys are read however small the limit of values is.
const minKeyLimit = 256

// head reads a key and its colon into to. c is the byte that follows, which a value starts with;
// name is nil when there is no colon.
func (f *Framer) head(to *sink) (c byte, name []byte, err error) {
	if err := f.src.run(to); err != nil {
		return 0, nil, err
	}
	n := len(to.b)
	if c, err = f.src.gap(to); err != nil || c != ':' {
		return c, nil, err
	}
	f.src.pos++
	to.put([]byte{':'})
	if c, err = f.src.gap(to); err != nil {
		return c, nil, err
	}
	if to.over {
		return c, []byte{}, nil // too long to be a wrapper's name
	}
	return c, to.b[:n], nil
}

// wrapperKey tells whether a key's text names a wrapper.
func (f *Framer) wrapperKey(text []byte) (string, bool) {
	if len(text) < 2 {
		return "", false
	}
	name := text[1 : len(text)-1]
	i := slices.IndexFunc(f.o.Wrappers, func(w string) bool { return w == string(name) })
	if i < 0 && slices.Contains(name, '\\') {
		d, err := Parse(text, 1)
		if err != nil {
			return "", false
		}
		i = slices.Index(f.o.Wrappers, d.Root().Str())
	}
	if i < 0 {
		return "", false
	}
	return f.o.Wrappers[i], true
}

// malformed is called where an object breaks its grammar. One that has given no elements yet is
// framed by its brackets, for the parser to say what is wrong with it; behind elements the framing
// itself is in doubt.
func (f *Framer) malformed(dst []byte, c byte) (fr Frame, done bool, err error) {
	if len(f.object.seen) > 0 {
		return Frame{}, true, f.src.unexpected(c)
	}
	err = f.src.balanced(&f.object.text, 1)
	f.state = between
	return f.objectFrame(dst), true, err
}

func (f *Framer) objectFrame(dst []byte) Frame {
	o := &f.object
	fr := Frame{Offset: o.at, Size: f.src.offset() - o.at, Rest: len(o.seen) > 0, Wrappers: o.seen}
	text, tooBig := o.text.text()
	fr.Raw, fr.TooBig = append(dst, text...), tooBig
	return fr
}
