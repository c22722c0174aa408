package main

import (
	"context"
	"path/filepath"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pipeline/extraction"
	"github.com/pamline/pamline/search"
)

// indexFolder is where the search indexes of a store are: a folder of the data folder, "" for
// memory. Nothing else decides that. An index tells the words of its store, so that of a store
// whose objects are encrypted must not be a file.
func indexFolder(s blob.Store, data string) string {
	if wiring.MayBeSealed(s) {
		return ""
	}
	return filepath.Join(data, datadir.SearchFolder)
}

// indexFile is the file of the search index of an owner, "" for memory.
func indexFile(s blob.Store, data, owner string) string {
	folder := indexFolder(s, data)
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, owner+".db")
}

// vectorOf asks the model of the settings what a query means; nil if they name none.
func vectorOf(ctx context.Context, e extraction.Embedder, text string) (*search.Vector, error) {
	if e == nil {
		return nil, nil
	}
	vectors, _, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return &search.Vector{Model: e.Model(), Numbers: vectors[0]}, nil
}
