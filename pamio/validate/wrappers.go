package validate

import (
	"maps"
	"slices"
)

// wrappers are the arrays whose elements are looked at one by one, and the kind of document that
// has them.
var wrappers = map[string]kind{
	"memories":            store,
	"relations":           store,
	"conversations_index": store,
	"messages":            conversation,
	"embeddings":          embeddings,
}

func wrapperKeys() []string { return slices.Sorted(maps.Keys(wrappers)) }
