//go:build !unix

package probe

import "errors"

func freeBytes(string) (uint64, error) { return 0, errors.New("not on this system") }
