package pam

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/schema"
)

// unknownMembers is the key under which values are kept that PAM 1.0 does not know or allow, by
// their JSON pointer.
const unknownMembers = "unknown_members"

// maxFits bounds how often a value is held against the schema: what is taken out may uncover more.
const maxFits = 8

// fit takes out of an object what does not fit the schema, until it does, and gives what it took
// out by JSON pointer. An object that lacks what PAM asks for cannot be made to fit.
func fit(part schema.Part, o map[string]any) (taken map[string]any, err error) {
	for range maxFits {
		err := part.Validate(o, true)
		var bad *jsonschema.ValidationError
		if !errors.As(err, &bad) {
			return taken, err
		}
		before := len(taken)
		for _, at := range misfits(bad, nil) {
			at = upToList(o, at)
			value, ok := removeAt(o, at)
			if !ok {
				continue
			}
			if taken == nil {
				taken = map[string]any{}
			}
			taken[pointerOf(at)] = value
		}
		if len(taken) == before {
			return taken, fmt.Errorf("it does not have the form of PAM 1.0: %s", firstFault(bad))
		}
	}
	return taken, errors.New("it does not have the form of PAM 1.0")
}

// misfits are the paths of the members that the schema refuses.
func misfits(e *jsonschema.ValidationError, out [][]string) [][]string {
	if more, ok := e.ErrorKind.(*kind.AdditionalProperties); ok {
		for _, p := range more.Properties {
			out = append(out, append(slices.Clone(e.InstanceLocation), p))
		}
		return out
	}
	if _, required := e.ErrorKind.(*kind.Required); required {
		// The object that lacks something cannot stay; the whole element can never go.
		return append(out, slices.Clone(e.InstanceLocation))
	}
	if len(e.Causes) == 0 {
		return append(out, slices.Clone(e.InstanceLocation))
	}
	for _, c := range e.Causes {
		out = misfits(c, out)
	}
	return out
}

// firstFault names the first fault without quoting a value.
func firstFault(e *jsonschema.ValidationError) string {
	for len(e.Causes) > 0 {
		e = e.Causes[0]
	}
	at := pointerOf(e.InstanceLocation)
	if r, ok := e.ErrorKind.(*kind.Required); ok && len(r.Missing) > 0 {
		return at + "/" + r.Missing[0] + " is missing"
	}
	return at + " does not fit"
}

// upToList cuts a path at the first list on its way: the place of an element in its list tells
// something, so that the list goes as a whole.
func upToList(o map[string]any, path []string) []string {
	var at any = o
	for i, step := range path {
		in, ok := at.(map[string]any)
		if !ok {
			return path[:i]
		}
		at = in[step]
	}
	return path
}

// removeAt takes the value at a path out of an object.
func removeAt(o map[string]any, path []string) (any, bool) {
	for i, step := range path {
		if i == len(path)-1 {
			v, ok := o[step]
			delete(o, step)
			return v, ok
		}
		next, ok := o[step].(map[string]any)
		if !ok {
			return nil, false
		}
		o = next
	}
	return nil, false
}

func pointerOf(path []string) string {
	var b bytes.Buffer
	for _, step := range path {
		b.WriteByte('/')
		for _, r := range step {
			switch r {
			case '~':
				b.WriteString("~0")
			case '/':
				b.WriteString("~1")
			default:
				b.WriteRune(r)
			}
		}
	}
	return b.String()
}

// keep puts what was taken out of an object under a key of one of its open members.
func keep(o map[string]any, open string, taken map[string]any) {
	if len(taken) == 0 {
		return
	}
	home, ok := o[open].(map[string]any)
	if !ok {
		home = map[string]any{}
		o[open] = home
	}
	if before, ok := home[unknownMembers].(map[string]any); ok {
		for k, v := range before {
			if _, twice := taken[k]; !twice {
				taken[k] = v
			}
		}
	}
	home[unknownMembers] = taken
}

// dropNulls removes the members of an object that are null, but for those of open members.
func dropNulls(o map[string]any, open ...string) {
	for k, v := range o {
		switch v := v.(type) {
		case nil:
			delete(o, k)
		case map[string]any:
			if !slices.Contains(open, k) {
				dropNulls(v, open...)
			}
		case []any:
			for _, one := range v {
				if inner, ok := one.(map[string]any); ok && !slices.Contains(open, k) {
					dropNulls(inner, open...)
				}
			}
		}
	}
}

// times writes the times of an object in UTC. What is none stays, for fit to find.
func times(o map[string]any, keys ...string) {
	for _, k := range keys {
		if s, ok := o[k].(string); ok {
			if t := outputTime(s); t != "" {
				o[k] = t
			}
		}
	}
}

// outputTime writes a time as PAM documents of ours have it; "" for what is no time.
func outputTime(s string) string {
	t, err := pamio.ParseTime(s)
	if err != nil {
		return ""
	}
	return pamio.FormatTime(t)
}

// exact puts texts in place of integers that no reader keeps: canonical JSON has none beyond 2^53
// (PAM §15.2), so a store with them could have no checksum.
func exact(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, inner := range v {
			v[k] = exact(inner)
		}
	case []any:
		for i, inner := range v {
			v[i] = exact(inner)
		}
	case json.Number:
		if _, err := pamio.Canonicalize([]byte(v)); err != nil {
			return v.String()
		}
	}
	return v
}

// canonical writes an object in canonical form.
func canonical(o map[string]any) ([]byte, error) {
	exact(o)
	text, err := compact(o)
	if err != nil {
		return nil, err
	}
	return pamio.Canonicalize(text)
}

// compact writes an object without white space; numbers keep their digits.
func compact(o map[string]any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		return nil, fmt.Errorf("write element: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
