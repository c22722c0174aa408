package publish_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// at is the value under keys, nil where there is none.
func at(v any, keys ...string) any {
	for _, k := range keys {
		o, _ := v.(object)
		v = o[k]
	}
	return v
}

func text(v any, keys ...string) string {
	s, _ := at(v, keys...).(string)
	return s
}

func number(v any, keys ...string) float64 {
	n, _ := at(v, keys...).(float64)
	return n
}

// list are the objects of an array.
func list(v any, keys ...string) (all []object) {
	items, _ := at(v, keys...).([]any)
	for _, one := range items {
		if o, ok := one.(object); ok {
			all = append(all, o)
		}
	}
	return all
}

func texts(v any, keys ...string) (all []string) {
	items, _ := at(v, keys...).([]any)
	for _, one := range items {
		all = append(all, text(object{"": one}, ""))
	}
	return all
}

// walk visits every member of a value, with its path.
func walk(v any, path string, visit func(path, key string, v any)) {
	switch v := v.(type) {
	case object:
		for k, inner := range v {
			visit(path, k, inner)
			walk(inner, path+"/"+k, visit)
		}
	case []any:
		for _, inner := range v {
			walk(inner, path+"/-", visit)
		}
	}
}

// memoriesOf are the texts of the memories of a store.
func memoriesOf(store string) (raw [][]byte) {
	var s struct{ Memories []json.RawMessage }
	if json.Unmarshal([]byte(store), &s) != nil {
		return nil
	}
	for _, m := range s.Memories {
		raw = append(raw, m)
	}
	return raw
}

// isTime tells whether a member is a time of PAM, and not one of a provider.
func isTime(path, key string) bool {
	if strings.Contains(path, "raw_metadata") || strings.Contains(path, "/metadata") || strings.Contains(path, "/input") {
		return false
	}
	return strings.HasSuffix(key, "_at") || slices.Contains([]string{"export_date", "since", "valid_from", "valid_until", "last_reinforced"}, key)
}

func (w written) eachMember(fits func(path, key string, v any) bool) (wrong string) {
	for _, doc := range append([]object{w.store, w.embeddings}, values(w.conversations)...) {
		walk(doc, "", func(path, key string, v any) {
			if !fits(path, key, v) {
				wrong = fmt.Sprintf("%s/%s is %v", path, key, v)
			}
		})
	}
	return wrong
}

// each holds every conversation against a predicate.
func (w written) each(what string, bad bool, fits func(c object) bool) string {
	for path, c := range w.conversations {
		if !fits(c) {
			return what + " of " + path
		}
	}
	return unless(!bad, what)
}

func (w written) eachMessage(fits func(m object) bool) string {
	return w.each("a message", false, func(c object) bool { return all(list(c, "messages"), fits) })
}

// oneOf wants a member of each element of a collection of the store to be one of some words.
func oneOf(collection, member string, allowed map[string]bool) judge {
	return each(collection, func(o object) bool { return allowed[text(o, member)] })
}

func each(collection string, fits func(o object) bool) judge {
	return func(w written) string {
		for _, o := range list(w.store, collection) {
			if !fits(o) {
				return collection + ": " + text(o, "id")
			}
		}
		return ""
	}
}

func unless(ok bool, wrong string) string {
	if ok {
		return ""
	}
	return wrong
}

func firstOffender(list []string, fits func(string) bool) string {
	if i := slices.IndexFunc(list, func(s string) bool { return !fits(s) }); i >= 0 {
		return "not allowed: " + list[i]
	}
	return ""
}

func unknownKey(o object, known string, needed ...string) string {
	for k := range o {
		if !words(known)[k] {
			return "unknown member " + k
		}
	}
	return firstOffender(needed, func(k string) bool { return o[k] != nil })
}

func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

func idsOf(all []object) map[string]bool {
	set := map[string]bool{}
	for _, o := range all {
		set[text(o, "id")] = true
	}
	return set
}

func onlyOnce(all []object, key string) string {
	seen := map[string]bool{}
	for _, o := range all {
		if seen[text(o, key)] {
			return text(o, key) + " stands twice"
		}
		seen[text(o, key)] = true
	}
	return ""
}

func all(list []object, fits func(object) bool) bool {
	return !slices.ContainsFunc(list, func(o object) bool { return !fits(o) })
}

func allTexts(list []string, fits func(string) bool) bool {
	return !slices.ContainsFunc(list, func(s string) bool { return !fits(s) })
}

func values(m map[string]object) (all []object) {
	for _, v := range m {
		all = append(all, v)
	}
	return all
}
