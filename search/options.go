package search

import "slices"

// Options limit and order what a search finds.
type Options struct {
	// Since and Until bound the time of messages, memories and conversations, in Unix seconds, Until
	// excluded; 0 is no bound. What has no known time is in no bounds.
	Since, Until int64
	// Provider is the platform of a conversation or memory; "" is any.
	Provider string
	// Role is user, assistant, system or tool; "" is any. With a role, only messages and their assets
	// are found.
	Role string
	// In lists the kinds to find; none is all.
	In []string
	// ByTime puts the newest hits first, instead of the most relevant ones.
	ByTime bool
	// Vector is what the query means. With it, memories that mean the same are found, too, whatever
	// their words; nil: only words count.
	Vector *Vector
	// Limit is how many hits are given; 0 is all.
	Limit int
}

// wants tells whether a kind is to be found.
func (o *Options) wants(kind string) bool {
	if o.Role != "" && kind != KindMessage && kind != KindAsset {
		return false
	}
	return len(o.In) == 0 || slices.Contains(o.In, kind)
}

// holds tells whether a time is within the bounds.
func (o *Options) holds(at int64) bool {
	if o.Since == 0 && o.Until == 0 {
		return true
	}
	return at != 0 && at >= o.Since && (o.Until == 0 || at < o.Until)
}
