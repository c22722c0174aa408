package providers

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/providers/chatgpt"
)

// Registry knows importers by name and version.
type Registry struct {
	importers []Importer // in the order in which they claim; newest version of a name first
}

// NewRegistry makes a registry. Of several versions of a name, the newest is the default: versions are compared as text,
// which their form "name-importer/YYYY.MM" allows.
func NewRegistry(importers ...Importer) *Registry {
	r := &Registry{importers: slices.Clone(importers)}
	slices.SortStableFunc(r.importers, func(a, b Importer) int {
		if a.Name() != b.Name() {
			return 0
		}
		return strings.Compare(b.Version(), a.Version())
	})
	return r
}

// Default is the registry of all importers that pamline has.
func Default() *Registry { return NewRegistry(chatgpt.New()) }

// Versions lists the versions of all importers, newest of each name first.
func (r *Registry) Versions() []string {
	var out []string
	for _, i := range r.importers {
		out = append(out, i.Version())
	}
	return out
}

// Names lists the providers once each.
func (r *Registry) Names() []string {
	var out []string
	for _, i := range r.importers {
		if !slices.Contains(out, i.Name()) {
			out = append(out, i.Name())
		}
	}
	return out
}

// ByName is the newest importer of a provider, for example to restore documents that say where they came from.
func (r *Registry) ByName(name string) (Importer, error) {
	for _, i := range r.importers {
		if i.Name() == name {
			return i, nil
		}
	}
	return nil, fmt.Errorf("find importer %q: there is none; known providers: %s", name, strings.Join(r.Names(), ", "))
}

// ByVersion is one exact importer version, as "chatgpt-importer/2026.07".
func (r *Registry) ByVersion(version string) (Importer, error) {
	for _, i := range r.importers {
		if i.Version() == version {
			return i, nil
		}
	}
	return nil, fmt.Errorf("find importer version %q: there is none; known versions: %s", version, strings.Join(r.Versions(), ", "))
}

// active lists the importers that may claim: one version of each name, the pinned one where it names the provider.
func (r *Registry) active(pin string) ([]Importer, error) {
	var pinned Importer
	if pin != "" {
		var err error
		if pinned, err = r.ByVersion(pin); err != nil {
			if pinned, err = r.ByName(pin); err != nil {
				return nil, fmt.Errorf("select importer %q: neither a version nor a provider; known versions: %s", pin, strings.Join(r.Versions(), ", "))
			}
		}
		return []Importer{pinned}, nil
	}
	var out []Importer
	seen := map[string]bool{}
	for _, i := range r.importers {
		if !seen[i.Name()] {
			seen[i.Name()] = true
			out = append(out, i)
		}
	}
	return out, nil
}
