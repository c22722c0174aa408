package fault

import (
	"fmt"
	"runtime/debug"
)

// Recovered turns a panic of do into an error.
func Recovered(what string, do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			// The panic value may quote input, so only its type and the stack are kept.
			err = fmt.Errorf("%s: panic of type %T\n%s", what, p, debug.Stack())
		}
	}()
	return do()
}
