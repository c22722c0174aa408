package blob

import "context"

// Versioned is implemented by stores that may keep earlier versions of objects.
type Versioned interface {
	// CheckVersions tells why earlier versions cannot be removed, with a hint; nil if they can, or
	// if none are kept.
	CheckVersions(ctx context.Context) error
	// RemoveVersions removes what is kept of replaced and removed objects under a prefix, and tells
	// how many versions that were. Objects stay as they are.
	RemoveVersions(ctx context.Context, prefix string) (int64, error)
}

// VersionedOf finds the store that keeps versions below decorators; nil if none does.
func VersionedOf(s Store) Versioned {
	for s != nil {
		if v, ok := s.(Versioned); ok {
			return v
		}
		outer, ok := s.(interface{ Unwrap() Store })
		if !ok {
			return nil
		}
		s = outer.Unwrap()
	}
	return nil
}
