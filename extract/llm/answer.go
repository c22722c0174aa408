package llm

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// answer is what a model said about a chunk, as it said it: nothing in it is believed yet.
type answer struct {
	memories []memory
	// suspicious: the model saw an attempt to give it orders.
	suspicious bool
}

// memory is one element of an answer. Fields that were missing or of another kind are zero.
type memory struct {
	kind, content, subject, polarity, stability string
	confidence, attribute, value, sensitive     string
	eventTime, status, replaces                 string
	evidence                                    []quotation
	explicit                                    bool
	derived                                     []int
	people                                      []person
	// whole tells that it is an object with the fields that nothing can be done without.
	whole bool
}

// person is somebody, or an animal, whom a memory names.
type person struct{ name, relation string }

type quotation struct {
	turn  int // 0 when it is none
	quote string
}

var (
	errNoJSON    = errors.New("there is no JSON object with a list of memories in the answer")
	errCutJSON   = errors.New("the JSON object of the answer is cut off")
	errAmbiguous = errors.New("the JSON object of the answer has a key twice or broken characters")
)

const (
	maxAnswer = 4 << 20 // bytes of an answer that are looked at
	maxTries  = 64      // braces of an answer that are tried as the beginning of the object
	maxDepth  = 64
)

// parseAnswer finds the JSON object in a model's text and reads it: thoughts before it, prose and
// fences around it are passed over. Errors are errNoJSON, errCutJSON, errThoughts and errAmbiguous,
// wrapped.
func parseAnswer(text string) (answer, error) {
	if len(text) > maxAnswer {
		return answer{}, fmt.Errorf("read answer of %d bytes: %w", len(text), errNoJSON)
	}
	text, thinking := dropThoughts(text)
	if thinking {
		return answer{}, fmt.Errorf("read answer: %w", errThoughts)
	}
	failure := errNoJSON
	for at, tries := 0, 0; tries < maxTries; tries++ {
		i := strings.IndexAny(text[at:], "{[")
		if i < 0 {
			break
		}
		at += i
		length, whole := balanced(text[at:])
		if !whole {
			if looksBegun(text[at:]) {
				failure = errCutJSON
			}
			at++
			continue
		}
		d, err := jsonscan.Parse([]byte(text[at:at+length]), maxDepth)
		if err != nil {
			at++
			continue
		}
		list, ok := listOf(d.Root())
		if !ok {
			at += length
			continue
		}
		if d.Root().Odd() {
			return answer{}, fmt.Errorf("read answer: %w", errAmbiguous)
		}
		a := answer{suspicious: d.Root().Get("injection_suspected").True()}
		for item := range list.Items() {
			a.memories = append(a.memories, readMemory(item))
		}
		return a, nil
	}
	return answer{}, fmt.Errorf("read answer: %w", failure)
}

// listOf gives the list of memories of a value: that of the object, or the value itself where a
// model left the object out.
func listOf(root jsonscan.Node) (jsonscan.Node, bool) {
	if list := root.Get("memories"); list.Kind() == jsonscan.Array {
		return list, true
	}
	if root.Kind() != jsonscan.Array || root.Len() == 0 {
		return root, false
	}
	for item := range root.Items() {
		if item.Kind() != jsonscan.Object || !item.Get("content").Exists() || !item.Get("evidence").Exists() {
			return root, false
		}
	}
	return root, true
}

// looksBegun tells whether a text without an end is the object that was asked for.
func looksBegun(text string) bool {
	head := text[:min(len(text), 200)]
	return strings.Contains(head, `"memories"`) || strings.Contains(head, `"content"`) || len(strings.TrimSpace(text)) < len(`{"memories"`)
}

// balanced gives the length of the JSON value at the beginning of a text; whole is false when it
// has no end.
func balanced(text string) (length int, whole bool) {
	depth, inString := 0, false
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case inString && c == '\\':
			i++
		case c == '"':
			inString = !inString
		case inString:
		case c == '{' || c == '[':
			depth++
		case c == '}' || c == ']':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}

func readMemory(n jsonscan.Node) memory {
	m := memory{
		kind: word(n.Get("type")), content: n.Get("content").Str(), subject: word(n.Get("subject")), polarity: word(n.Get("polarity")),
		stability: strings.NewReplacer("-", "_", " ", "_").Replace(word(n.Get("stability"))), confidence: word(n.Get("confidence")),
		attribute: word(n.Get("attribute")), value: scalar(n.Get("value")), sensitive: word(n.Get("sensitive")),
		eventTime: scalar(n.Get("event_time")), explicit: n.Get("explicit").True(), status: word(n.Get("status")), replaces: scalar(n.Get("replaces")),
	}
	for e := range n.Get("evidence").Items() {
		m.evidence = append(m.evidence, quotation{integer(e.Get("turn")), e.Get("quote").Str()})
	}
	for e := range n.Get("people").Items() {
		m.people = append(m.people, person{scalar(e.Get("name")), scalar(e.Get("relation"))})
	}
	for e := range n.Get("derived_from").Items() {
		if i, err := strconv.Atoi(string(e.Raw())); err == nil {
			m.derived = append(m.derived, i)
		}
	}
	m.whole = n.Kind() == jsonscan.Object && strings.TrimSpace(m.content) != "" && m.subject != "" && m.stability != "" && len(m.evidence) > 0
	return m
}

// word is a name of a list in lower case, "" for null.
func word(n jsonscan.Node) string {
	w := strings.ToLower(strings.TrimSpace(n.Str()))
	if w == "null" || w == "none" {
		return ""
	}
	return w
}

// scalar is a text, or a number where a text was asked for.
func scalar(n jsonscan.Node) string {
	if n.Kind() == jsonscan.Number {
		return string(n.Raw())
	}
	s := strings.TrimSpace(n.Str())
	if strings.EqualFold(s, "null") {
		return ""
	}
	return s
}

// integer is a number, or a text that is one; 0 for others.
func integer(n jsonscan.Node) int {
	i, err := strconv.Atoi(strings.Trim(string(n.Raw()), `"# `))
	if err != nil || i < 0 {
		return 0
	}
	return i
}
