package jsonscan

import "iter"

// Node is one value of a Doc. The zero Node is a missing value: Kind Invalid, no fields, no items.
type Node struct {
	d *Doc
	i uint32
}

func (n Node) e() *entry { return &n.d.entries[n.i] }

// Exists tells whether there is a value.
func (n Node) Exists() bool { return n.d != nil }

// Kind is the type of the value.
func (n Node) Kind() Kind {
	if n.d == nil {
		return Invalid
	}
	return n.e().kind()
}

// IsNull tells whether the value is there and null.
func (n Node) IsNull() bool { return n.Kind() == Null }

// Flags says what is unusual in the value and below it.
func (n Node) Flags() Flag {
	if n.d == nil {
		return 0
	}
	return n.e().flags()
}

// Odd tells whether the value holds something that an output document must not hold.
func (n Node) Odd() bool { return n.Flags()&Odd != 0 }

// Raw is the text of the value as it stands in the source.
func (n Node) Raw() []byte {
	if n.d == nil {
		return nil
	}
	e := n.e()
	return n.d.src[e.start:e.end:e.end]
}

// Offset is where the value starts, in bytes from the start of the source.
func (n Node) Offset() int {
	if n.d == nil {
		return 0
	}
	return int(n.e().start)
}

// Str is the text of a string, "" for other kinds. Lone surrogates and bytes that are not UTF-8
// become U+FFFD; Odd tells.
func (n Node) Str() string {
	if n.Kind() != String {
		return ""
	}
	e := n.e()
	raw := n.d.src[e.start+1 : e.end-1]
	if e.flags()&(Escaped|BadUTF8) == 0 {
		return string(raw)
	}
	return unescape(raw, e.flags()&BadUTF8 != 0)
}

// AppendStr appends what Str gives.
func (n Node) AppendStr(dst []byte) []byte {
	if n.Kind() != String {
		return dst
	}
	e := n.e()
	raw := n.d.src[e.start+1 : e.end-1]
	switch {
	case e.flags()&(Escaped|BadUTF8) == 0:
		return append(dst, raw...)
	case e.flags()&BadUTF8 == 0:
		return appendUnescaped(dst, raw, false)
	}
	return append(dst, n.Str()...)
}

// Is tells whether the value is the string s.
func (n Node) Is(s string) bool {
	if n.Kind() != String {
		return false
	}
	e := n.e()
	raw := n.d.src[e.start+1 : e.end-1]
	switch {
	case e.flags()&(Escaped|BadUTF8) == 0:
		return string(raw) == s
	case e.flags()&BadUTF8 == 0:
		return isEscaped(raw, s)
	}
	return n.Str() == s
}

// True tells whether the value is true.
func (n Node) True() bool { return n.Kind() == Bool && n.Raw()[0] == 't' }

// Len is the number of items of an array or of fields of an object.
func (n Node) Len() int {
	c := 0
	switch n.Kind() {
	case Array:
		for range n.Items() {
			c++
		}
	case Object:
		for range n.Fields() {
			c++
		}
	}
	return c
}

// Items are the elements of an array, none for other kinds.
func (n Node) Items() iter.Seq[Node] {
	return func(yield func(Node) bool) {
		if n.Kind() != Array {
			return
		}
		for i, end := n.i+1, n.e().next; i < end; i = n.d.entries[i].next {
			if !yield(Node{n.d, i}) {
				return
			}
		}
	}
}

// Fields are the keys and values of an object in source order, duplicates included; none for other
// kinds.
func (n Node) Fields() iter.Seq2[Node, Node] {
	return func(yield func(Node, Node) bool) {
		if n.Kind() != Object {
			return
		}
		for i, end := n.i+1, n.e().next; i < end; i = n.d.entries[i+1].next {
			if !yield(Node{n.d, i}, Node{n.d, i + 1}) {
				return
			}
		}
	}
}

// Get is the value of a key. With duplicates it is the last one, as most decoders have it.
func (n Node) Get(key string) Node {
	var found Node
	if n.Kind() != Object {
		return found
	}
	entries, end := n.d.entries, n.e().next
	twice := n.e().flags()&DuplicateKey != 0
	for i := n.i + 1; i < end; i = entries[i+1].next {
		k := &entries[i]
		if k.flags()&(Escaped|BadUTF8) == 0 {
			if int(k.end-k.start) != len(key)+2 || string(n.d.src[k.start+1:k.end-1]) != key {
				continue
			}
		} else if !(Node{n.d, i}).Is(key) {
			continue
		}
		found = Node{n.d, i + 1}
		if !twice {
			break
		}
	}
	return found
}

// AppendCompact appends the value's text without white space between tokens. Lexemes stay as they
// are.
func (n Node) AppendCompact(dst []byte) []byte {
	if n.d == nil {
		return dst
	}
	e := n.e()
	if e.flags()&Spaced == 0 {
		return append(dst, n.d.src[e.start:e.end]...)
	}
	first := true
	comma := func() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
	}
	if e.kind() == Array {
		dst = append(dst, '[')
		for v := range n.Items() {
			comma()
			dst = v.AppendCompact(dst)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	for k, v := range n.Fields() {
		comma()
		dst = append(append(dst, k.Raw()...), ':')
		dst = v.AppendCompact(dst)
	}
	return append(dst, '}')
}
