package rules

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"golang.org/x/sync/errgroup"
)

//go:embed tables/*.yaml
var files embed.FS

// readBuiltin reads the tables that pamline comes with, side by side, in the order of their file
// names.
func readBuiltin() ([]*source, error) {
	names, err := tableNames()
	if err != nil {
		return nil, err
	}
	all := make([]*source, len(names))
	var g errgroup.Group
	for i, name := range names {
		g.Go(func() (err error) {
			all[i], err = readTable(name)
			return err
		})
	}
	return all, g.Wait()
}

// tableNames are the files of the tables.
func tableNames() ([]string, error) {
	entries, err := files.ReadDir("tables")
	if err != nil {
		return nil, fmt.Errorf("read tables: %w", err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, path.Join("tables", e.Name()))
	}
	return names, nil
}

func readTable(name string) (*source, error) {
	text, err := files.ReadFile(name)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	src, err := parseTable(text)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if err := calibrate(src.Families); err != nil {
		return nil, err
	}
	if src.Language != strings.TrimSuffix(path.Base(name), ".yaml") {
		return nil, fmt.Errorf("read %s: language is %q", name, src.Language)
	}
	if src.changes, err = readChanges(src.Language); err != nil {
		return nil, err
	}
	return src, nil
}
