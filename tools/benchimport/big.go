package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pamline/pamline/tools/internal/made"
)

// measureBig imports conversations of the given sizes, in MB, each in an export of its own, and
// prints how much memory that takes at most: what grows with one conversation, and not with the
// number of them.
func measureBig(o options, scratch string) error {
	sizes, err := counts("big", o.big)
	if err != nil {
		return err
	}
	fmt.Printf("%-14s %9s %9s %9s %9s %9s %s\n", "conversation", "JSON MB", "wall s", "CPU s", "RSS MB", "RSS/JSON", "not read")
	list := made.Shapes()
	if o.shapes != "" {
		list = strings.Split(o.shapes, ",")
	}
	for _, mb := range sizes {
		for _, shape := range list {
			if err := measureShape(o, scratch, made.Big{Seed: 7, Shape: shape, Bytes: int64(mb) * 1e6}); err != nil {
				return fmt.Errorf("measure %s of %d MB: %w", shape, mb, err)
			}
		}
	}
	return nil
}

func measureShape(o options, scratch string, b made.Big) error {
	name := filepath.Join(scratch, b.Shape+".zip")
	if err := writeBig(name, b); err != nil {
		return err
	}
	folder := filepath.Join(scratch, b.Shape)
	defer func() { _ = errors.Join(os.Remove(name), os.RemoveAll(folder)) }() // temporary
	size, err := inflated(name)
	if err != nil {
		return err
	}
	c, err := importOnce(o.bin, folder, name, o.extra...)
	if err != nil {
		return err
	}
	lost := ""
	if c.losses {
		lost = "quarantined"
	}
	mb := float64(size) / 1e6
	fmt.Printf("%-14s %9.1f %9.2f %9.2f %9.1f %9.2f %s\n", b.Shape, mb, c.wall.Seconds(), c.cpu.Seconds(), c.rss, c.rss/mb, lost)
	return nil
}

func writeBig(name string, b made.Big) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(b.Write(f), f.Close())
}
