// Command freezetables compiles the tables of the extractors and writes them into a folder.
// Programs that are built with the tag "frozen" embed that folder (package extract/frozen):
//
//	go run ./tools/freezetables extract/frozen
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

// writeTables writes the files of all tables below a folder.
func writeTables(folder string) error {
	files, err := rules.Freeze()
	more, failed := segment.Freeze()
	files, err = append(files, more...), errors.Join(err, failed)
	for _, freeze := range []func() (frozen.File, error){gate.Freeze, sensitive.Freeze, restate.Freeze} {
		f, failed := freeze()
		files, err = append(files, f), errors.Join(err, failed)
	}
	if err != nil {
		return err
	}
	for _, f := range files {
		name := filepath.Join(folder, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			return fmt.Errorf("write table: %w", err)
		}
	}
	return nil
}
