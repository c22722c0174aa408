package blob

import (
	"context"
	"iter"
)

// Inventory is implemented by stores in which others may put objects under names that are no valid
// keys.
type Inventory interface {
	// ListAll is List with those objects among the others, in byte order. The Key of one is the
	// name it has in the store: [ValidKey] says what is wrong with it, and no other method takes
	// it.
	ListAll(ctx context.Context, prefix string) iter.Seq2[Object, error]
}

// ListAll lists everything a store has under a prefix, or what List gives where the store has
// nothing else.
func ListAll(ctx context.Context, s Store, prefix string) iter.Seq2[Object, error] {
	if i, ok := s.(Inventory); ok {
		return i.ListAll(ctx, prefix)
	}
	return s.List(ctx, prefix)
}
