package gemini

import (
	"bytes"
	"unicode/utf8"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// appendWrapped appends the rows of a conversation in the form that rowSchema maps, given the rows
// as they were read. Elements that are no exchange are events, whatever they are. splits is the
// number of titles that were divided.
func (imp Importer) appendWrapped(dst []byte, list jsonscan.Node) (out []byte, rows []row, splits int) {
	var events []byte
	dst = append(dst, `{"rows":[`...)
	for n := range list.Items() {
		r := row{item: item{kind: event}}
		if isRow(n) {
			r = imp.readRow(n)
		}
		if r.kind != exchange {
			events = n.AppendCompact(append(events, ','))
			continue
		}
		if len(rows) > 0 {
			dst = append(dst, ',')
		}
		var k int
		dst, k = appendRow(dst, r)
		splits += k
		rows = append(rows, r)
	}
	dst = append(dst, ']')
	if len(events) > 0 {
		events[0] = '['
		dst = append(append(append(dst, `,"events":`...), events...), ']')
	}
	return append(dst, '}'), rows, splits
}

// appendRow appends a row with its title divided. A title that is an object already is put under
// "prompt", so that it cannot be taken for one that was divided.
func appendRow(dst []byte, r row) (out []byte, splits int) {
	dst = append(dst, '{')
	first := true
	for k, v := range r.node.Fields() {
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(append(dst, k.Raw()...), ':')
		n := 0
		if k.Is("title") && v.Kind() == jsonscan.String {
			title := v.Str()
			if bytes, kind, known := splitVerb(title); known && kind == exchange {
				n = utf8.RuneCountInString(title[:bytes])
			}
		}
		switch {
		case n > 0:
			at := skipRunes(v.Raw(), n)
			dst = append(append(append(dst, `{"verb":`...), v.Raw()[:at]...), `","prompt":"`...)
			dst = append(append(dst, v.Raw()[at:]...), '}')
			splits++
		case k.Is("title") && v.Kind() == jsonscan.Object:
			dst = v.AppendCompact(append(dst, `{"verb":null,"prompt":`...))
			dst = append(dst, '}')
			splits++
		default:
			dst = v.AppendCompact(dst)
		}
	}
	return append(dst, '}'), splits
}

// skipRunes is where the n-th character of a string literal ends, n being of the basic plane and
// valid.
func skipRunes(lit []byte, n int) int {
	at := 1
	for ; n > 0; n-- {
		switch {
		case lit[at] == '\\' && lit[at+1] == 'u':
			at += 6
		case lit[at] == '\\':
			at += 2
		default:
			_, size := utf8.DecodeRune(lit[at:])
			at += size
		}
	}
	return at
}

// appendRows appends the rows of a wrapped element as they were, with commas between them: the
// inverse of appendWrapped but for the order, for events stand behind the rows.
func appendRows(dst []byte, wrapped jsonscan.Node) []byte {
	start := len(dst)
	comma := func() {
		if len(dst) > start {
			dst = append(dst, ',')
		}
	}
	for n := range wrapped.Get("rows").Items() {
		comma()
		if n.Kind() != jsonscan.Object {
			dst = n.AppendCompact(dst)
			continue
		}
		dst = append(dst, '{')
		first := true
		for k, v := range n.Fields() {
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = append(append(dst, k.Raw()...), ':')
			if k.Is("title") && v.Kind() == jsonscan.Object {
				dst = appendTitle(dst, v)
				continue
			}
			dst = v.AppendCompact(dst)
		}
		dst = append(dst, '}')
	}
	for n := range wrapped.Get("events").Items() {
		comma()
		dst = n.AppendCompact(dst)
	}
	return dst
}

// appendTitle joins a title that was divided.
func appendTitle(dst []byte, title jsonscan.Node) []byte {
	verb, prompt := title.Get("verb"), title.Get("prompt")
	switch {
	case verb.Kind() == jsonscan.String && prompt.Kind() == jsonscan.String:
		dst = append(dst, bytes.TrimSuffix(verb.Raw(), []byte{'"'})...)
		return append(dst, prompt.Raw()[1:]...)
	case prompt.Exists():
		return prompt.AppendCompact(dst)
	}
	return verb.AppendCompact(dst)
}
