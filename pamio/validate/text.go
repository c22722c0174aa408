package validate

import (
	"bytes"
	"errors"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// parse reads the text of the element and reports what is wrong with it as JSON. The root stays
// missing when there is no value to go on with.
func (e *element) parse(doc *jsonscan.Doc, tooBig bool) {
	if e.wrong(elementTooBig, tooBig) {
		what := "the element"
		if e.wrapper == "" {
			what = "what the document has besides its arrays"
		}
		e.find(elementTooBig, e.at("", jsonscan.Node{}), "%s is %d bytes long, the limit is %d; it was not checked", what, e.size, e.o.MaxElement)
		return
	}
	e.made[jsonSyntax]++
	e.made[jsonDepth]++
	e.made[jsonNonfinite]++
	if err := doc.Parse(e.raw, e.o.MaxDepth); err != nil {
		e.notJSON(err)
		return
	}
	e.root = doc.Root()
	for _, c := range oddities {
		if e.wrong(c.check, e.root.Flags()&c.flag != 0) {
			pointer, n := locate(e.root, c.flag)
			e.find(c.check, e.at(pointer, n), "%s", c.message)
		}
	}
	e.bigInteger()
}

// oddities are what is legal for a JSON grammar and dangerous all the same.
var oddities = []struct {
	flag    jsonscan.Flag
	check   check
	message string
}{
	{jsonscan.BadUTF8, jsonUTF8, "the text is not UTF-8; it may come from a file in another encoding"},
	{jsonscan.LoneSurrogate, jsonLoneSurrogate, `a \u escape names half a surrogate pair; write both halves, or U+FFFD in its place`},
	{jsonscan.DuplicateKey, jsonDuplicateKey, "a key stands twice in this object; keep one of the two"},
}

// bigInteger reports integers that a double cannot hold: in a memory they make the checksum
// impossible, elsewhere they are kept as they are written.
func (e *element) bigInteger() {
	big := e.root.Flags()&jsonscan.BigInteger != 0
	if e.wrapper == "memories" {
		if e.wrong(integrityUncanonicalizable, big) {
			pointer, n := locate(e.root, jsonscan.BigInteger)
			e.find(integrityUncanonicalizable, e.at(pointer, n), "the integer lies beyond ±(2^53-1) and has no canonical form; write it as a string")
		}
		return
	}
	if e.wrong(jsonBigInteger, big) {
		pointer, n := locate(e.root, jsonscan.BigInteger)
		e.find(jsonBigInteger, e.at(pointer, n), "the integer lies beyond ±(2^53-1); readers that use doubles will round it")
	}
}

func (e *element) notJSON(err error) {
	var bad *jsonscan.SyntaxError
	if !errors.As(err, &bad) {
		bad = &jsonscan.SyntaxError{Reason: err.Error()}
	}
	at := e.at("", jsonscan.Node{})
	if at.offset >= 0 {
		at.offset += int64(bad.Offset)
	}
	if errors.Is(err, jsonscan.ErrTooDeep) {
		e.find(jsonDepth, at, "a value is nested deeper than %d levels, the limit", e.o.MaxDepth)
		return
	}
	if int64(bad.Offset) <= int64(len(e.raw)) {
		rest := bytes.TrimPrefix(e.raw[bad.Offset:], []byte("-"))
		if bytes.HasPrefix(rest, []byte("NaN")) || bytes.HasPrefix(rest, []byte("Infinity")) || bytes.HasPrefix(rest, []byte("nfinity")) {
			e.find(jsonNonfinite, at, "NaN or Infinity is no JSON number; leave the value out")
			return
		}
	}
	e.find(jsonSyntax, at, "the text is not JSON: %s", bad.Reason)
}
