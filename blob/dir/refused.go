//go:build !unix

package dir

import (
	"errors"

	"github.com/pamline/pamline/blob"
)

// errUnsupported: the guarantees of a store in a folder need links and locks as Unix has them.
var errUnsupported = errors.New("open store: a store in a folder is not supported on this system: set store.kind to s3 and name a bucket, or run pamline in WSL or a container")

// Store is never opened here.
type Store struct{ blob.Store }

// ReadOnly is never opened here.
type ReadOnly struct{ blob.Store }

// Open refuses.
func Open(string) (*Store, error) { return nil, errUnsupported }

// OpenReadOnly refuses.
func OpenReadOnly(string) (*ReadOnly, error) { return nil, errUnsupported }

// Close has nothing to give back.
func (*Store) Close() error { return nil }

// Close has nothing to give back.
func (*ReadOnly) Close() error { return nil }
