package rules

import (
	"embed"
	"fmt"
	"path"
	"strings"

	"github.com/pamline/pamline/extract/frozen"
)

//go:embed tables/*.yaml
var files embed.FS

// readHeads reads the heads of the tables that pamline comes with, in the order of their file
// names.
func readHeads() ([]*head, error) {
	names, err := tableNames()
	if err != nil {
		return nil, err
	}
	var all []*head
	for _, name := range names {
		text, err := files.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		h, err := parseHead(text)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		h.changing = hasChanges(h.Language)
		all = append(all, h)
	}
	return all, nil
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

// openTable gives the table of a language that pamline comes with.
func openTable(language string) (*table, error) {
	return frozen.Table(tableName(language), func() (*table, error) { return compileLanguage(language) })
}

// compileLanguage reads and compiles the table of a language.
func compileLanguage(language string) (*table, error) {
	src, err := readTable(path.Join("tables", language+".yaml"))
	if err != nil {
		return nil, err
	}
	return compileTable(src)
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
	src.changes, err = readChanges(src.Language)
	src.changing = src.changes != nil
	return src, err
}
