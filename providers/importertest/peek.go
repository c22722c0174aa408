package importertest

import (
	"context"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers/importer"
)

type peeker struct{}

func (peeker) Prefix(ctx context.Context, m archive.Member) ([]byte, error) {
	return importer.NewPeeks().Prefix(ctx, m)
}

func (peeker) Shape(ctx context.Context, m archive.Member) (importer.Shape, error) {
	return importer.NewPeeks().Shape(ctx, m)
}
