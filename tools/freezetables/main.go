// Command freezetables compiles the tables of the extractors and writes them into one file, all.bin
// of a folder. Programs that are built with the tag "frozen" embed it (package extract/frozen):
//
//	go run ./tools/freezetables extract/frozen/tables
package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/pamline/pamline/extract/frozen"
	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/extract/restate"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/extract/segment"
	"github.com/pamline/pamline/extract/sensitive"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: freezetables FOLDER")
		os.Exit(2)
	}
	if err := writeTables(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "freezetables:", err)
		os.Exit(1)
	}
}

// writeTables writes the file of all tables into a folder.
func writeTables(folder string) error {
	tables, err := rules.Freeze()
	more, failed := segment.Freeze()
	tables, err = append(tables, more...), errors.Join(err, failed)
	for _, freeze := range []func() (frozen.Frozen, error){gate.Freeze, sensitive.Freeze, restate.Freeze} {
		table, failed := freeze()
		tables, err = append(tables, table), errors.Join(err, failed)
	}
	if err != nil {
		return err
	}
	pack, err := frozen.Pack(tables)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	if err := os.WriteFile(filepath.Join(folder, "all.bin"), pack, 0o644); err != nil {
		return fmt.Errorf("write tables: %w", err)
	}
	return nil
}
