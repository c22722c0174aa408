package lossless

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// ruleSet is the rules of one kind of object, with their paths taken apart once.
type ruleSet struct {
	rules []Rule
	paths []rulePath // of the rules
	// known are the keys that the schema names; nil if any key may be there.
	known map[string]bool
}

// rulePath is the path of a rule. A fixed one has no variable segment.
type rulePath struct {
	segments []segment
	fixed    bool
}

// segment is a segment of a path: a key, or what stands for many.
type segment struct {
	text     string // as it stands in the path
	key      string
	variable bool
}

// compile takes the paths of the schema's rules apart, the first time.
func (s *Schema) compile() {
	s.once.Do(func() {
		s.conversation = newRuleSet(s.Conversation, s.Fields)
		s.message = newRuleSet(s.Message, s.MessageFields)
	})
}

// conversationRules are the rules of the conversation.
func (s *Schema) conversationRules() *ruleSet {
	s.compile()
	return s.conversation
}

// messageRules are the rules of the objects that messages are made of.
func (s *Schema) messageRules() *ruleSet {
	s.compile()
	return s.message
}

func newRuleSet(rules []Rule, fields []string) *ruleSet {
	set := &ruleSet{rules: rules, paths: make([]rulePath, len(rules))}
	for i, r := range rules {
		set.paths[i] = parsePath(r.Path)
	}
	if fields == nil {
		return set
	}
	set.known = make(map[string]bool, len(fields)+len(rules))
	for _, key := range fields {
		set.known[key] = true
	}
	for _, p := range set.paths {
		if len(p.segments) > 0 {
			set.known[p.segments[0].key] = true
		}
	}
	return set
}

// knows tells whether the schema names a key.
func (s *ruleSet) knows(key jsonscan.Node) bool {
	if key.Flags()&jsonscan.Escaped != 0 || key.Odd() {
		return s.known[key.Str()]
	}
	raw := key.Raw()
	return s.known[string(raw[1:len(raw)-1])]
}

func parsePath(path string) rulePath {
	p := rulePath{fixed: true}
	if path == "" {
		return p
	}
	for text := range strings.SplitSeq(path[1:], "/") {
		variable := text == "*" || strings.HasPrefix(text, "[")
		p.segments = append(p.segments, segment{text: text, key: normalize.UnescapePointer(text), variable: variable})
		p.fixed = p.fixed && !variable
	}
	p.segments = slices.Clip(p.segments)
	return p
}
