package lossless

import (
	"slices"
	"strconv"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// place is where a rule leads in one source object.
type place struct {
	rule int
	path string        // JSON pointer inside the object
	node jsonscan.Node // zero where the last field is missing
	hole bool          // an element of an array of texts, which leaves an empty string behind
	vary []step        // what stood for the variable segments, to order places
}

// step is an index or a key.
type step struct {
	index int
	key   string
}

func compareSteps(a, b []step) int {
	return slices.CompareFunc(a, b, func(x, y step) int {
		if x.index != y.index {
			return x.index - y.index
		}
		return strings.Compare(x.key, y.key)
	})
}

// places finds the places of some rules in an object, in the order in which sequences are walked:
// by rank, by what their variable segments stand for, then by the order of the rules. It is the
// same for a source object and for its residual.
func places(rules []Rule, object jsonscan.Node) []place {
	var out []place
	for i, r := range rules {
		if r.Slot == MessageList || r.Slot == MessageMap {
			continue
		}
		var segments []string
		if r.Path != "" {
			segments = strings.Split(r.Path[1:], "/")
		}
		out = expand(out, i, segments, object, "", nil)
	}
	slices.SortStableFunc(out, func(a, b place) int {
		if c := rules[a.rule].Rank - rules[b.rule].Rank; c != 0 {
			return c
		}
		if c := compareSteps(a.vary, b.vary); c != 0 {
			return c
		}
		return a.rule - b.rule
	})
	return out
}

func expand(out []place, rule int, segments []string, n jsonscan.Node, at string, vary []step) []place {
	if len(segments) == 0 {
		return append(out, place{rule: rule, path: at, node: n, vary: vary})
	}
	head, rest := segments[0], segments[1:]
	if head != "*" && !strings.HasPrefix(head, "[") {
		if n.Kind() != jsonscan.Object {
			return out
		}
		key := normalize.UnescapePointer(head)
		v := n.Get(key)
		switch {
		case v.Exists():
			return expand(out, rule, rest, v, at+"/"+head, vary)
		case len(rest) == 0:
			return append(out, place{rule: rule, path: at + "/" + head, vary: vary})
		}
		return out
	}
	switch n.Kind() {
	case jsonscan.Array:
		i := 0
		for v := range n.Items() {
			if fits(head, v) {
				before := len(out)
				out = expand(out, rule, rest, v, at+"/"+strconv.Itoa(i), append(slices.Clip(vary), step{index: i}))
				if len(rest) == 0 && len(out) > before {
					out[len(out)-1].hole = true
				}
			}
			i++
		}
	case jsonscan.Object:
		if head != "*" {
			break
		}
		for k, v := range n.Fields() {
			key := k.Str()
			out = expand(out, rule, rest, v, at+"/"+normalize.EscapePointer(key), append(slices.Clip(vary), step{key: key}))
		}
	}
	return out
}

// fits tells whether an element of an array fits a segment: "*", "[key=value]" or
// "[key!=value|value]".
func fits(segment string, v jsonscan.Node) bool {
	if segment == "*" {
		return true
	}
	key, want, _ := strings.Cut(strings.Trim(segment, "[]"), "=")
	if v.Kind() != jsonscan.Object {
		return false
	}
	key, not := strings.CutSuffix(key, "!")
	got := v.Get(key)
	if want == "" {
		return got.Exists() == not
	}
	if !not {
		return got.Is(want)
	}
	for w := range strings.SplitSeq(want, "|") {
		if got.Is(w) {
			return false
		}
	}
	return true
}

// follow gives the value at a pointer without variable segments.
func follow(n jsonscan.Node, path string) jsonscan.Node {
	if path == "" {
		return n
	}
	for segment := range strings.SplitSeq(path[1:], "/") {
		if n.Kind() != jsonscan.Object {
			return jsonscan.Node{}
		}
		n = n.Get(normalize.UnescapePointer(segment))
	}
	return n
}
