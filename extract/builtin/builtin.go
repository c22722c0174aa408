// Package builtin is the registry of the extractors that pamline comes with.
package builtin

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
)

// Registry gives all of them.
func Registry() *extract.Registry { return extract.NewRegistry(harvest.New()) }
