// Command benchstore measures the commands that read whole stores, on a generated store whose
// memories, relations and conversations refer to each other.
//
//	make build && go run ./tools/benchstore          a store of 450 MB
//	go run ./tools/benchstore -mb 900 -rounds 5      another size, more rounds
//	go run ./tools/benchstore -keep DIR              keep the stores in a folder, and use those that are there
//	go run ./tools/benchstore -convert mem,mif       conversions there and back, and their checks
//
// Each round measures every command and, between them, sha256sum of the same file: what the machine
// can do at that time. The median of the rounds is printed.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/pamline/pamline/tools/internal/peak"
)

func main() {
	size := flag.Int64("mb", 450, "size of the store, in MB")
	rounds := flag.Int("rounds", 3, "how often each command is measured")
	keep := flag.String("keep", "", "the folder for the stores; a temporary one if empty")
	conversions := flag.String("convert", "", "measure the conversions to these formats, mem and mif, and back")
	program := flag.String("pamline", "bin/pamline", "the program to measure")
	flag.Parse()
	if err := measureCommands(os.Stdout, *program, *keep, *size, *rounds, *conversions); err != nil {
		fmt.Fprintln(os.Stderr, "benchstore:", err)
		os.Exit(1)
	}
}

// command is one line of the table.
type command struct {
	name  string
	argv  []string
	input int64  // bytes that it reads
	out   string // what it writes, if anything; it must not be there before
}

// figures are those of one run of a command.
type figures struct {
	wall, cpu time.Duration
	peak      float64 // MB
}

// measureCommands measures each command on made stores, and writes the table.
func measureCommands(out io.Writer, program, folder string, size int64, rounds int, conversions string) (err error) {
	if folder == "" {
		if folder, err = os.MkdirTemp("", "benchstore-*"); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(folder)) }()
	}
	base, next, delta := filepath.Join(folder, "base.json"), filepath.Join(folder, "next.json"), filepath.Join(folder, "delta.json")
	bytes, err := writeStores(base, next, size*1e6)
	if err != nil {
		return fmt.Errorf("write stores: %w", err)
	}
	merged := filepath.Join(folder, "merged.json")
	commands := []command{
		{"sha256sum", []string{"sha256sum", base}, bytes, ""},
		{"pamline validate", []string{program, "validate", base}, bytes, ""},
		{"pamline verify", []string{program, "verify", base}, bytes, ""},
		{"pamline export --since", []string{program, "export", next, "--since", base, "-o", delta}, 2 * bytes, delta},
		{"pamline merge", []string{program, "merge", "-o", merged, base, delta}, bytes, merged},
	}
	if conversions != "" {
		commands = convertCommands(program, folder, base, bytes, strings.Split(conversions, ","))
	}
	seen := make([][]figures, len(commands))
	for range max(rounds, 1) {
		for i, c := range commands {
			f, err := c.measure()
			if err != nil {
				return err
			}
			seen[i] = append(seen[i], f)
		}
	}
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "command\tinput\twall\tper second\tprocessor time\tper second of it\tpeak memory\t") //nolint:errcheck // Flush gives the error
	for i, c := range commands {
		f := medianOf(seen[i])
		fmt.Fprintf(w, "%s\t%d MB\t%.2f s\t%.0f MB\t%.2f s\t%.0f MB\t%.0f MB\t\n", c.name, c.input/1e6, f.wall.Seconds(), float64(c.input)/1e6/f.wall.Seconds(), f.cpu.Seconds(), //nolint:errcheck // as above
			float64(c.input)/1e6/f.cpu.Seconds(), f.peak)
	}
	return w.Flush()
}

// selfAsserted is the exit code of verify for a valid signature under a key that nobody vouches
// for.
const selfAsserted = 3

// convertCommands are the conversions of a store, each with the check of what it writes. Each reads
// what the one before has written, and the input is the size of the store for all of them.
func convertCommands(program, folder, base string, bytes int64, formats []string) (all []command) {
	all = append(all, command{"sha256sum", []string{"sha256sum", base}, bytes, ""})
	for _, format := range formats {
		there, back := filepath.Join(folder, "there."+format), filepath.Join(folder, "back.json")
		all = append(all,
			command{"convert PAM to " + format, []string{program, "convert", "--to", format, "-o", there, base}, bytes, there},
			command{"validate " + format, []string{program, "validate", there}, bytes, ""},
			command{"convert " + format + " to PAM", []string{program, "convert", "--to", "pam", "-o", back, there}, bytes, back},
			command{"compare with the store", []string{"cmp", base, back}, bytes, ""})
	}
	return all
}

// measure runs the command.
func (c command) measure() (figures, error) {
	if c.out != "" {
		if err := os.RemoveAll(c.out); err != nil {
			return figures{}, err
		}
	}
	p := exec.Command(c.argv[0], c.argv[1:]...) //nolint:gosec // what the user asked to measure
	start := time.Now()
	text, err := p.CombinedOutput()
	wall := time.Since(start)
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != selfAsserted) {
		return figures{}, fmt.Errorf("run %s: %w: %.500s", c.name, err, text)
	}
	s := p.ProcessState
	return figures{wall, s.UserTime() + s.SystemTime(), peak.MB(s)}, nil
}

// medianOf is that of each figure.
func medianOf(all []figures) figures {
	middle := func(value func(figures) float64) float64 {
		values := make([]float64, len(all))
		for i, f := range all {
			values[i] = value(f)
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return figures{
		wall: time.Duration(middle(func(f figures) float64 { return float64(f.wall) })),
		cpu:  time.Duration(middle(func(f figures) float64 { return float64(f.cpu) })),
		peak: middle(func(f figures) float64 { return f.peak }),
	}
}
