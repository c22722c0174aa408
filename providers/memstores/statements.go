package memstores

import (
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// textKeys are the keys under which programs have the text of a memory.
var textKeys = []string{"memory", "content", "text", "fact", "statement", "value"}

// talk are keys of messages, posts and other elements that are no memories.
var talk = []string{"role", "author", "sender", "from", "messages[", "message", "mapping", "url", "html", "prompt", "completion", "model", "speaker", "chat", "conversation", "channel"}

// statements: a list of memories of no program that is known. Every element has a text, and a key
// says that it is one of a memory; a list of bare texts is one if its wrapper says so.
var statements = &format{
	provider: "memory-list", version: "memory-list-importer/2026.11", lists: []string{"memories", "facts", "statements", "preferences"},
	is: func(s importer.Shape) bool {
		if s.Lines && !s.Has(`[].memory"`) && !s.Has(`[].fact"`) {
			return false
		}
		for _, at := range []string{"[].", "memories[].", "facts[].", "statements[].", "preferences[]."} {
			if hasAny(s, at, talk...) {
				continue
			}
			named := at != "[]." && hasAny(s, at, `content"`, `text"`, `value"`)
			if hasAny(s, at, `memory"`, `fact"`, `statement"`) || named || hasAny(s, at, `content"`, `text"`) && hasAny(s, at, "importance", "confidence", "memory_type", "remembered_at") {
				return true
			}
		}
		return false
	},
	decode: func(e *element) error {
		n := e.root
		if n.Kind() == jsonscan.String {
			e.text(importer.RecordMemory, "", "", n.Str(), n)
			return nil
		}
		if n.Kind() != jsonscan.Object {
			return e.fail("not_a_memory", "the element is neither a text nor an object with one")
		}
		text := textOf(n, textKeys...)
		if text == "" {
			return nil
		}
		kind := importer.RecordMemory
		if strings.EqualFold(textOf(n, "type", "category"), "instruction") {
			kind = importer.RecordInstruction
		}
		e.text(kind, textOf(n, "id", "uuid"), "", text, n)
		return nil
	},
}
