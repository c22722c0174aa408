package main

import (
	"os"

	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/config"
)

// removeIndexes removes the search indexes of a data folder: an encrypted store has none.
func removeIndexes(c *config.Config) error {
	data, err := datadir.Look(c.Data)
	if err != nil {
		return err
	}
	return os.RemoveAll(data.Join(datadir.SearchFolder))
}
