package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// startupRows are the imports whose start-up is measured, each with further flags of the command.
var startupRows = []struct {
	name  string
	flags []string
}{
	{"default", nil},
	{"harvest only", []string{"--extractors", "harvest"}},
}

// measureStartup measures imports of an export so small that starting and ending the program is all
// that they take. Each round has a data folder of its own.
func measureStartup(o options, scratch, export string) error {
	if _, err := os.Stat(export); err != nil {
		return fmt.Errorf("find the export to start with: %w", err)
	}
	fmt.Printf("%-14s %10s %10s %10s %10s\n", "extractors", "best wall", "median", "best CPU", "median")
	for _, row := range startupRows {
		var walls, cpus []time.Duration
		for i := range o.rounds {
			folder := filepath.Join(scratch, strings.ReplaceAll(row.name, " ", "-")+"-"+strconv.Itoa(i))
			c, err := importOnce(o.bin, folder, export, append(slices.Clone(o.extra), row.flags...)...)
			if err != nil {
				return fmt.Errorf("import %s: %w", export, err)
			}
			walls, cpus = append(walls, c.wall), append(cpus, c.cpu)
		}
		fmt.Print(startupRow(row.name, walls, cpus))
	}
	return nil
}

// startupRow is a line below the header: other work on the machine makes the median worse than the
// best.
func startupRow(name string, walls, cpus []time.Duration) string {
	slices.Sort(walls)
	slices.Sort(cpus)
	middle := len(walls) / 2
	return fmt.Sprintf("%-14s %7.0f ms %7.0f ms %7.0f ms %7.0f ms\n", name, inMilliseconds(walls[0]), inMilliseconds(walls[middle]), inMilliseconds(cpus[0]), inMilliseconds(cpus[middle]))
}

func inMilliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }
