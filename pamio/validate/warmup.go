package validate

import (
	"errors"

	"github.com/pamline/pamline/pamio/schema"
)

// WarmUp prepares what the first validation of a store needs, so that a program can do that while
// it waits for something else. The error is that of a schema that cannot be used.
func WarmUp() error {
	_, err := rules()
	_, failed := schema.StoreDocument.Compiled(false)
	return errors.Join(err, failed)
}
