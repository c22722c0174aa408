// Package builtin is the registry of the extractors that pamline comes with.
package builtin

import (
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/extract/rules"
)

// Registry gives all of them, with those that need settings behind them.
func Registry(more ...extract.Extractor) *extract.Registry {
	return extract.NewRegistry(append([]extract.Extractor{harvest.New(), rules.New()}, more...)...)
}
