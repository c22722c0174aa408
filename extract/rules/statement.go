package rules

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
)

// maxCaptures is how many names of captures a table may have.
const maxCaptures = 16

// statement is what a match says, with its templates parsed.
type statement struct {
	Says
	content, attribute, value template
}

// template is text with captures.
type template []piece

type piece struct {
	text    string // as it is, when capture is ""
	capture string
	form    string // "" canonical, else verbatim; "said": verbatim; "name": with capitals; "bare": without leading articles; "one": in slots, in the singular
}

func newStatement(s *Says) (statement, error) {
	st := statement{Says: *s}
	if st.Decay == "" {
		st.Decay = "time_exponential"
		if slices.Contains([]string{"identity", "fact", "relationship", "skill"}, st.Type) {
			st.Decay = "none"
		}
	}
	var err error
	if st.content, err = parseTemplate(s.Content); err != nil {
		return st, fmt.Errorf("content: %w", err)
	}
	if s.Slot != nil {
		if st.attribute, err = parseTemplate(s.Slot.Attribute); err != nil {
			return st, fmt.Errorf("slot: %w", err)
		}
		if st.value, err = parseTemplate(s.Slot.Value); err != nil {
			return st, fmt.Errorf("slot: %w", err)
		}
	}
	return st, nil
}

func parseTemplate(s string) (template, error) {
	var t template
	for {
		before, rest, found := strings.Cut(s, "{")
		if before != "" {
			t = append(t, piece{text: before})
		}
		if !found {
			return t, nil
		}
		name, after, closed := strings.Cut(rest, "}")
		if !closed {
			return nil, fmt.Errorf("{ is not closed in %q", s)
		}
		name, form, _ := strings.Cut(name, ".")
		if form != "" && form != "said" && form != "bare" && form != "one" && form != "name" {
			return nil, fmt.Errorf("{%s.%s}: the forms are said, bare, one and name", name, form)
		}
		t = append(t, piece{capture: name, form: form})
		s = after
	}
}

var (
	types = []string{"identity", "fact", "relationship", "preference", "skill", "goal", "instruction", "environment", "project", "context"}
	kinds = []string{"", "health", "religion", "politics", "sexuality", "ethnicity", "union", "criminal", "biometric"}
)

// check looks for what is missing or unknown in a family.
func (f *family) check() error {
	switch {
	case f.Name == "":
		return errors.New("name is missing")
	case f.Confidence <= 0 || f.Confidence > 1:
		return fmt.Errorf("confidence %v is not above 0 and at most 1", f.Confidence)
	case f.Chats < 0 || f.Chats > 1:
		return fmt.Errorf("chats %v is not from 0 to 1", f.Chats)
	case len(f.Patterns) == 0:
		return errors.New("patterns are missing")
	case f.Content == "":
		return errors.New("content is missing")
	}
	for _, s := range append([]Says{f.Says}, f.Also...) {
		switch {
		case s.Type != "" && !slices.Contains(types, s.Type), s.Type == "" && f.Type == "":
			return fmt.Errorf("type %q is none of %s", s.Type, strings.Join(types, ", "))
		case !slices.Contains(kinds, s.Sensitive):
			return fmt.Errorf("sensitive %q is none of %s", s.Sensitive, strings.Join(kinds[1:], ", "))
		case s.Act != "" && s.Act != normalize.ActRetract:
			return fmt.Errorf("act %q is not %s", s.Act, normalize.ActRetract)
		case !strings.HasSuffix(s.Content, "."):
			return fmt.Errorf("content %q does not end with a full stop", s.Content)
		case s.Slot != nil && (s.Slot.Attribute == "" || s.Slot.Value == ""):
			return errors.New("a slot has attribute and value")
		}
	}
	return nil
}

// uses tells whether a template has a capture.
func (f *compiledFamily) uses(name string) bool {
	for _, s := range f.says {
		for _, t := range []template{s.content, s.attribute, s.value} {
			if slices.ContainsFunc(t, func(p piece) bool { return p.capture == name }) {
				return true
			}
		}
	}
	return false
}

// bound checks that each capture of the templates is bound whichever way the pattern is read.
func (f *compiledFamily) bound(pattern string) error {
	items, err := parsePattern(pattern)
	if err != nil {
		return err
	}
	names := sure(items)
	for _, s := range f.says {
		for _, t := range []template{s.content, s.attribute, s.value} {
			for _, p := range t {
				if p.capture != "" && !slices.Contains(names, p.capture) {
					return fmt.Errorf("it does not always bind {%s}", p.capture)
				}
			}
		}
	}
	return nil
}

// sure are the captures that every reading of the items binds.
func sure(items []item) []string {
	var names []string
	for _, it := range items {
		switch {
		case it.optional:
		case it.kind == itemChoice:
			common := sure(it.choices[0])
			for _, seq := range it.choices[1:] {
				other := sure(seq)
				common = slices.DeleteFunc(common, func(n string) bool { return !slices.Contains(other, n) })
			}
			names = append(names, common...)
		case it.capture != "":
			names = append(names, it.capture)
		}
	}
	return names
}
