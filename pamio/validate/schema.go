package validate

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	keyword "github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/pamline/pamline/pamio/schema"
)

// held is a finding about something that 1.0 does not know. Whether it is an error is known only
// when the version of the document is, which may stand at its end.
type held struct {
	check   check
	at      place
	message string
}

// strangers collects them, bounded by Options.MaxFindings a check.
type strangers struct {
	kept  []held
	count map[check]int64
}

func (s *strangers) add(t *tally, c check, at place, message string) {
	if s.count == nil {
		s.count = map[check]int64{}
	}
	if s.count[c]++; s.count[c] <= int64(t.o.MaxFindings) {
		s.kept = append(s.kept, held{c, at, message})
	}
}

// take adds those of a batch.
func (s *strangers) take(t *tally, b *strangers) {
	for _, h := range b.kept {
		b.count[h.check]--
		s.add(t, h.check, h.at, h.message)
	}
	if s.count == nil {
		s.count = b.count
	} else {
		for c, n := range b.count {
			s.count[c] += n
		}
	}
	b.kept, b.count = b.kept[:0], nil
}

// settle reports them: as what they are, or, when the document is of a newer minor version, as new
// there.
func (s *strangers) settle(t *tally, newer bool) {
	for _, h := range s.kept {
		s.count[h.check]--
		if newer {
			h.check, h.message = schemaNewer, h.message+" (version 1.0 does not know it; the document is newer)"
		}
		t.find(h.check, h.at, "%s", h.message)
	}
	for c, n := range s.count {
		if newer {
			c = schemaNewer
		}
		t.count(c, n)
	}
	*s = strangers{}
}

// checkShape holds an element against its schema and reports every place where it does not fit.
// arrays are those of a document, which are checked element by element. The error is that of a
// schema that cannot be used.
func (s *strangers) checkShape(e *element, part schema.Part, arrays ...string) error {
	for _, c := range schemaChecks {
		e.made[c]++
	}
	quick, err := rules()
	if err != nil {
		return err
	}
	if quick[part].without(arrays).fits(e.root) {
		return nil
	}
	instance := e.instance()
	if o, ok := instance.(map[string]any); ok {
		for _, key := range arrays {
			if o[key] == nil {
				o[key] = []any{}
			}
		}
	}
	err = part.Validate(instance, false)
	if err == nil {
		return nil
	}
	var bad *jsonschema.ValidationError
	if !errors.As(err, &bad) {
		return fmt.Errorf("use schema: %w", err)
	}
	var plain, conditional []*jsonschema.ValidationError
	leaves(bad, func(l *jsonschema.ValidationError) {
		if strings.Contains(l.SchemaURL, "/then") || strings.Contains(l.SchemaURL, "/else") {
			conditional = append(conditional, l)
		} else {
			plain = append(plain, l)
		}
	})
	for _, l := range plain {
		s.leaf(e, l)
	}
	for _, l := range conditional {
		e.conditional(l, plain)
	}
	return nil
}

// schemaChecks are made together, by the schema library.
var schemaChecks = []check{schemaRequired, schemaType, schemaEnum, schemaPattern, schemaUnknownField, schemaLength, schemaRange, schemaUnique}

func leaves(v *jsonschema.ValidationError, yield func(*jsonschema.ValidationError)) {
	if len(v.Causes) == 0 {
		yield(v)
	}
	for _, c := range v.Causes {
		leaves(c, yield)
	}
}

// conditional reports what an if-then-else of a schema asks for: custom_type of a memory, and what
// a signed store must have, which the checks of signatures report. A fault that the plain part has
// reported is not reported twice: a memory without a type, say, falls under "custom", too.
func (e *element) conditional(l *jsonschema.ValidationError, plain []*jsonschema.ValidationError) {
	if e.wrapper != "memories" {
		return
	}
	if _, typed := text(e.root.Get("type")); !typed {
		return
	}
	for _, p := range plain {
		if slices.Equal(p.InstanceLocation, []string{"custom_type"}) {
			return
		}
	}
	if k, ok := l.ErrorKind.(*keyword.Required); ok && !slices.Contains(k.Missing, "custom_type") {
		return
	} else if !ok && !slices.Equal(l.InstanceLocation, []string{"custom_type"}) {
		return
	}
	if e.root.Get("type").Is("custom") {
		e.find(customType, e.at("", e.root), "type is custom, but custom_type is missing; name the type there")
		return
	}
	e.find(customType, e.at("/custom_type", e.root.Get("custom_type")), "custom_type is given, but type is not custom; remove the one or change "+
		"the other")
}

// leaf reports one place where a plain keyword of the schema is not met.
func (s *strangers) leaf(e *element, l *jsonschema.ValidationError) {
	pointer := pointerTo(l.InstanceLocation)
	n := follow(e.root, l.InstanceLocation)
	find := func(c check, format string, args ...any) { e.find(c, e.at(pointer, n), format, args...) }
	switch k := l.ErrorKind.(type) {
	case *keyword.Required:
		for _, m := range k.Missing {
			find(schemaRequired, "the field %s is missing; it is required", quote(m))
		}
	case *keyword.AdditionalProperties:
		for _, p := range k.Properties {
			name := p
			s.add(e.tally, schemaUnknownField, e.at(pointer+"/"+pointerEscape.Replace(name), n.Get(name)),
				fmt.Sprintf("the field %s is not known here; remove it, or keep it in metadata or raw_metadata", quote(name)))
		}
	case *keyword.Enum:
		got, _ := k.Got.(string)
		s.add(e.tally, schemaEnum, e.at(pointer, n), fmt.Sprintf("%s is not allowed here; it must be one of %s", token(got), list(k.Want)))
	case *keyword.Type:
		find(schemaType, "the value is of type %s; it must be %s", k.Got, strings.Join(k.Want, " or "))
	case *keyword.Pattern:
		find(schemaPattern, "%s does not have the form %s", token(k.Got), k.Want)
	case *keyword.MinLength:
		find(schemaLength, "the text has %d characters; it must have at least %d", k.Got, k.Want)
	case *keyword.MaxLength:
		find(schemaLength, "the text has %d characters; it may have at most %d", k.Got, k.Want)
	case *keyword.MinItems:
		find(schemaLength, "the array has %d items; it must have at least %d", k.Got, k.Want)
	case *keyword.Minimum:
		find(schemaRange, "the number is too small; it must be at least %s", k.Want.RatString())
	case *keyword.Maximum:
		find(schemaRange, "the number is too large; it may be at most %s", k.Want.RatString())
	case *keyword.UniqueItems:
		find(schemaUnique, "items %d and %d are equal; an item may be there once", k.Duplicates[0], k.Duplicates[1])
	default:
		// The schemas have no other keyword; a test holds them to that.
		find(schemaType, "the value does not meet %q of its schema", strings.Join(l.ErrorKind.KeywordPath(), "/"))
	}
}

func list(values []any) string {
	out := make([]string, 0, len(values))
	for _, v := range values {
		out = append(out, fmt.Sprint(v))
	}
	return strings.Join(out, ", ")
}
