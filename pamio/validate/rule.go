package validate

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/pamio/schema"
)

// rule is a schema in a form that is quick to hold against a parsed value. It only ever says
// "surely fits": for anything else the schema library is asked, which can also say what is wrong.
// Almost all elements of almost all documents fit, and to decode them into maps for the library
// would cost most of the time of a validation.
type rule struct {
	opaque   bool // there is a keyword that is not known here: nothing surely fits
	kinds    uint8
	integer  bool // a number must be whole
	allowed  []string
	null     bool // null is one of the allowed values
	pattern  *regexp.Regexp
	table    *matcher // of the pattern, if there can be one
	run      *classRun
	minRunes int
	maxRunes int
	least    *float64
	most     *float64
	minItems int
	unique   bool
	items    *rule
	fields   map[string]field
	members  memberTable // of fields, for a quick look
	list     []member    // the same in a row
	probe    bool        // the list is short: to look for its members in a value is quicker
	required uint64
	closed   bool
	cond     *condition
}

// field is a member of an object and its place in the set of required ones.
type field struct {
	rule *rule
	bit  uint64
}

type condition struct{ when, then, otherwise *rule }

// anyKind allows values of every kind.
const anyKind = ^uint8(0)

var kindBits = map[string]uint8{
	"null":    1 << jsonscan.Null,
	"boolean": 1 << jsonscan.Bool,
	"number":  1 << jsonscan.Number,
	"integer": 1 << jsonscan.Number,
	"string":  1 << jsonscan.String,
	"array":   1 << jsonscan.Array,
	"object":  1 << jsonscan.Object,
}

// rules are made once of the schemas, which never change.
var rules = sync.OnceValues(func() (map[schema.Part]*rule, error) {
	all := map[schema.Part]*rule{}
	for _, document := range []struct {
		part schema.Part
		text []byte
	}{
		{schema.StoreDocument, schema.MemoryStore},
		{schema.ConversationDocument, schema.Conversation},
		{schema.EmbeddingsDocument, schema.Embeddings},
	} {
		var root map[string]any
		if err := json.Unmarshal(document.text, &root); err != nil {
			return nil, fmt.Errorf("read schema %s: %w", document.part, err)
		}
		m := ruleMaker{root: root}
		all[document.part] = m.rule(root, 0)
		for _, part := range schema.Parts {
			if path, ok := strings.CutPrefix(string(part), string(document.part)+"#"); ok {
				all[part] = m.rule(map[string]any{"$ref": "#" + path}, 0)
			}
		}
	}
	return all, nil
})

// without gives the rule for a value of which some members have been taken out.
func (r *rule) without(names []string) *rule {
	if len(names) == 0 {
		return r
	}
	relieved := *r
	for _, name := range names {
		f, known := r.fields[name]
		relieved.required &^= f.bit
		relieved.opaque = relieved.opaque || !known
	}
	return &relieved
}

// ruleMaker turns one schema into rules.
type ruleMaker struct{ root map[string]any }

// deepest is how deep references may go; a schema that refers to itself stays opaque there.
const deepest = 32

func (m ruleMaker) rule(v any, depth int) *rule {
	r := &rule{kinds: anyKind, maxRunes: -1}
	s, ok := v.(map[string]any)
	if !ok || depth > deepest {
		r.opaque = true
		return r
	}
	if ref, ok := s["$ref"].(string); ok {
		// "default" and words for people may stand beside a reference, nothing else.
		for key := range s {
			r.opaque = r.opaque || key != "$ref" && !silent[key]
		}
		if target := m.follow(ref); !r.opaque && target != nil {
			return m.rule(target, depth+1)
		}
		r.opaque = true
		return r
	}
	for key, value := range s {
		m.keyword(r, key, value, depth)
	}
	m.object(r, s, depth)
	if when, ok := s["if"]; ok {
		r.cond = &condition{when: m.rule(when, depth+1), then: m.branch(s["then"], depth), otherwise: m.branch(s["else"], depth)}
	}
	return r
}

func (m ruleMaker) branch(v any, depth int) *rule {
	if v == nil {
		return &rule{kinds: anyKind, maxRunes: -1}
	}
	return m.rule(v, depth+1)
}

func (m ruleMaker) follow(ref string) any {
	var v any = m.root
	for _, token := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
		s, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = s[token]
	}
	return v
}

// silent keywords assert nothing.
var silent = map[string]bool{"$schema": true, "$id": true, "$defs": true, "$comment": true, "title": true, "description": true, "default": true,
	"examples": true, "format": true}

// keyword reads one keyword, those of objects apart.
func (m ruleMaker) keyword(r *rule, key string, value any, depth int) {
	number := func() int {
		f, ok := value.(float64)
		r.opaque = r.opaque || !ok
		return int(f)
	}
	switch key {
	case "type":
		m.types(r, value)
	case "enum":
		list, ok := value.([]any)
		r.opaque = r.opaque || !ok
		r.allow(list...)
	case "const":
		r.allow(value)
	case "pattern":
		p, err := regexp.Compile(fmt.Sprint(value))
		r.pattern, r.table, r.opaque = p, newMatcher(fmt.Sprint(value)), r.opaque || err != nil
		r.run = newClassRun(fmt.Sprint(value))
	case "minLength":
		r.minRunes = number()
	case "maxLength":
		r.maxRunes = number()
	case "minItems":
		r.minItems = number()
	case "minimum", "maximum":
		f, ok := value.(float64)
		r.opaque = r.opaque || !ok
		if key == "minimum" {
			r.least = &f
		} else {
			r.most = &f
		}
	case "uniqueItems":
		r.unique = value == true
	case "items":
		r.items = m.rule(value, depth+1)
	case "properties", "required", "additionalProperties", "if", "then", "else":
	default:
		r.opaque = r.opaque || !silent[key]
	}
}

func (m ruleMaker) types(r *rule, value any) {
	list, ok := value.([]any)
	if !ok {
		list = []any{value}
	}
	r.kinds = 0
	whole, any := false, false
	for _, v := range list {
		bit, ok := kindBits[fmt.Sprint(v)]
		r.opaque = r.opaque || !ok
		r.kinds |= bit
		whole, any = whole || v == "integer", any || v == "number"
	}
	r.integer = whole && !any
}

// object reads the keywords of objects, which belong together.
func (m ruleMaker) object(r *rule, s map[string]any, depth int) {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	r.closed = s["additionalProperties"] == false
	if more, ok := s["additionalProperties"]; ok && more != true && more != false || len(properties)+len(required) > 64 {
		r.opaque = true
		return
	}
	r.fields = make(map[string]field, len(properties))
	bit := uint64(1)
	for name, v := range properties {
		r.fields[name] = field{m.rule(v, depth+1), bit}
		bit <<= 1
	}
	for _, v := range required {
		f, ok := r.fields[fmt.Sprint(v)]
		if !ok {
			// Required, and free in what it is; in a closed object it could not be there at all.
			r.opaque = r.opaque || r.closed
			f = field{&rule{kinds: anyKind, maxRunes: -1}, bit}
			r.fields[fmt.Sprint(v)] = f
			bit <<= 1
		}
		r.required |= f.bit
	}
	r.members = newMemberTable(r.fields)
	for name, f := range r.fields {
		r.list = append(r.list, member{name, f})
	}
	r.probe = !r.closed && len(r.list) <= fewFields
}

// fewFields is how many fields of an open object are looked for in a value, rather than all members
// of the value among the fields. Conditions are such objects.
const fewFields = 3

func (r *rule) allow(values ...any) {
	if r.allowed == nil {
		r.allowed = []string{}
	}
	for _, v := range values {
		switch v := v.(type) {
		case string:
			r.allowed = append(r.allowed, v)
		case nil:
			r.null = true
		default:
			r.opaque = true
		}
	}
}
