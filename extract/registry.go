package extract

import (
	"fmt"
	"slices"
	"strings"
)

// Registry holds extractors by name and version. It is not changed after it was made.
type Registry struct {
	// all is in the order given; of one name, the newest version comes first.
	all []Extractor
	// chosen are those that are asked when nobody names any; nil is all.
	chosen []Extractor
}

// NewRegistry makes a registry. Of several versions of one name the first is the default.
func NewRegistry(all ...Extractor) *Registry { return &Registry{all: slices.Clone(all)} }

// WithDefault gives a registry whose Select gives these when no name is given. The list is as that
// of Select.
func (r *Registry) WithDefault(list ...string) (*Registry, error) {
	chosen, err := r.Select(list...)
	if err != nil {
		return nil, err
	}
	return &Registry{all: r.all, chosen: chosen}, nil
}

// All are the default versions of every extractor, in registry order.
func (r *Registry) All() []Extractor {
	var out []Extractor
	for _, x := range r.all {
		if !slices.ContainsFunc(out, func(o Extractor) bool { return o.Name() == x.Name() }) {
			out = append(out, x)
		}
	}
	return out
}

// Names are the names in registry order.
func (r *Registry) Names() []string {
	var names []string
	for _, x := range r.All() {
		names = append(names, x.Name())
	}
	return names
}

// Versions are all versions, in registry order.
func (r *Registry) Versions() []string {
	var versions []string
	for _, x := range r.all {
		versions = append(versions, x.Version())
	}
	return versions
}

// UnknownError is returned for an extractor that is not registered.
type UnknownError struct {
	Asked string
	Known []string
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("select extractor: there is no %q (known: %s)", e.Asked, strings.Join(e.Known, ", "))
}

// Select gives the extractors of a list of names ("harvest", the default version) and versions
// ("pamline-harvest/1.1.0"), in registry order and each once, so that the order of a setting
// changes nothing. An empty list is the default set, which is all of them unless WithDefault says
// otherwise; two versions of one name are an error.
func (r *Registry) Select(list ...string) ([]Extractor, error) {
	var picked []Extractor
	for _, asked := range list {
		if asked = strings.TrimSpace(asked); asked == "" {
			continue
		}
		x, err := r.find(asked)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(picked, func(o Extractor) bool { return o.Name() == x.Name() })
		switch {
		case i < 0:
			picked = append(picked, x)
		case picked[i].Version() != x.Version():
			return nil, fmt.Errorf("select extractor: %s and %s are versions of the same one; name one of them", picked[i].Version(), x.Version())
		}
	}
	if len(picked) == 0 && r.chosen != nil {
		return slices.Clone(r.chosen), nil
	}
	if len(picked) == 0 {
		return r.All(), nil
	}
	slices.SortStableFunc(picked, func(a, b Extractor) int { return r.place(a) - r.place(b) })
	return picked, nil
}

func (r *Registry) find(asked string) (Extractor, error) {
	for _, x := range r.all {
		if x.Name() == asked || x.Version() == asked {
			return x, nil
		}
	}
	return nil, &UnknownError{Asked: asked, Known: append(r.Names(), r.Versions()...)}
}

func (r *Registry) place(x Extractor) int {
	return slices.IndexFunc(r.all, func(o Extractor) bool { return o.Name() == x.Name() && o.Version() == x.Version() })
}
