// Command benchgrowth measures how the cost of an import grows with what it reads: the size of the
// archive, the memories of a store, the branches of a conversation, the owners of a data folder. It
// writes the figures as CSV and a plot of them, both axes logarithmic: a straight line that does
// not rise faster than the dotted one is linear growth.
//
//	make build && go run ./tools/benchgrowth -csv docs/growth.csv -svg docs/growth.svg
//	go run ./tools/benchgrowth -csv docs/growth.csv -svg docs/growth.svg -plot    draw the figures that are there
//	go run ./tools/benchgrowth -series branches -most 20000
package main

import (
	"encoding/csv"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/tools/internal/peak"
)

// series is one thing that grows; write makes the input of size n.
type series struct {
	name, unit string
	most       int
	write      func(file string, n int) error
	// each: the input is imported for n owners, one after the other, instead.
	each bool
}

var all = []series{
	{name: "archive", unit: "MB of JSON", most: 1000, write: writeArchive},
	{name: "memories", unit: "memories", most: 1_000_000, write: writeMemories},
	{name: "branches", unit: "branches of one conversation", most: 20_000, write: writeBranches},
	{name: "owners", unit: "owners", most: 1000, write: func(file string, _ int) error { return writeConversations(file, 5) }, each: true},
}

// point is one measurement.
type point struct {
	series    string
	n         int
	cpu, wall float64 // seconds
	peak      float64 // MB
}

func main() {
	bin := flag.String("bin", "bin/pamline", "the program to measure")
	table, plot := flag.String("csv", "growth.csv", "file of the figures"), flag.String("svg", "growth.svg", "file of the plot")
	only := flag.String("series", "", "measure only this series: archive, memories, branches or owners")
	most := flag.Int("most", 0, "the largest size; 0 for that of each series")
	draw := flag.Bool("plot", false, "measure nothing: plot the figures that are in the file")
	flag.Parse()
	if err := run(*bin, *table, *plot, *only, *most, *draw); err != nil {
		fmt.Fprintln(os.Stderr, "benchgrowth:", err)
		os.Exit(1)
	}
}

func run(bin, table, plot, only string, most int, draw bool) error {
	points, err := readPoints(table)
	if err != nil {
		return err
	}
	if !draw {
		if !slices.ContainsFunc(all, func(s series) bool { return only == "" || s.name == only }) {
			return fmt.Errorf("read -series: there is no series %q", only)
		}
		for _, s := range all {
			if only != "" && s.name != only {
				continue
			}
			if most > 0 {
				s.most = most
			}
			points = slices.DeleteFunc(points, func(p point) bool { return p.series == s.name })
			got, err := s.measure(bin)
			if err != nil {
				return fmt.Errorf("measure %s: %w", s.name, err)
			}
			points = append(points, got...)
			if err := writePoints(table, points); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(plot, svg(points), 0o644) //nolint:gosec // a picture of the documentation
}

// measure imports inputs of 1, 10, 100 … and of the largest size.
func (s series) measure(bin string) (points []point, err error) {
	scratch, err := os.MkdirTemp("", "benchgrowth-*")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	for n := 1; ; n = min(10*n, s.most) {
		p := point{series: s.name, n: n}
		file := filepath.Join(scratch, strconv.Itoa(n)+".zip")
		if s.name == "memories" {
			file = filepath.Join(scratch, strconv.Itoa(n), "memory-store.json")
		}
		if err := s.write(file, n); err != nil {
			return nil, err
		}
		imports := 1
		if s.each {
			imports = n
		}
		data := filepath.Join(scratch, strconv.Itoa(n)+".data")
		for i := range imports {
			if err := p.add(exec.Command(bin, "import", "--data", data, "--owner", "o"+strconv.Itoa(i), "--set", "encryption.key_file="+filepath.Join(scratch, "master.key"), file)); err != nil {
				return nil, err
			}
		}
		fmt.Printf("%-10s %9d  %8.2f s processor  %8.2f s wall  %6.0f MB\n", s.name, n, p.cpu, p.wall, p.peak)
		points = append(points, p)
		if err := errors.Join(os.RemoveAll(data), os.RemoveAll(file)); err != nil {
			return nil, err
		}
		if n >= s.most {
			return points, nil
		}
	}
}

// add runs a command and adds what it took.
func (p *point) add(cmd *exec.Cmd) error {
	start := time.Now()
	if report, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w\n%s", err, report)
	}
	p.wall += time.Since(start).Seconds()
	p.cpu += (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds()
	p.peak = max(p.peak, peak.MB(cmd.ProcessState))
	return nil
}

func readPoints(file string) ([]point, error) {
	f, err := os.Open(file)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) == 0 {
		return nil, err
	}
	points := make([]point, len(rows)-1)
	for i, row := range rows[1:] {
		var bad [4]error
		p := &points[i]
		p.series = row[0]
		p.n, bad[0] = strconv.Atoi(row[1])
		p.cpu, bad[1] = strconv.ParseFloat(row[2], 64)
		p.wall, bad[2] = strconv.ParseFloat(row[3], 64)
		p.peak, bad[3] = strconv.ParseFloat(row[4], 64)
		if err := errors.Join(bad[:]...); err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
	}
	return points, nil
}

func writePoints(file string, points []point) error {
	var b strings.Builder
	b.WriteString("series,n,processor_s,wall_s,peak_mb\n")
	for _, p := range points {
		fmt.Fprintf(&b, "%s,%d,%.2f,%.2f,%.0f\n", p.series, p.n, p.cpu, p.wall, p.peak)
	}
	return os.WriteFile(file, []byte(b.String()), 0o644) //nolint:gosec // figures of the documentation
}
