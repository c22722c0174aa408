package main

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// report says what came of each run, and at the end of all.
type report struct {
	out     io.Writer
	options options

	runs, differing int
	differences     int
	faults          map[string]int
	least           int
	cost            Cost
	done            map[string]int
	fell            map[string]int // ends of workers that nobody had told to end, by reason
	took            time.Duration
}

func newReport(o options) *report {
	return &report{out: os.Stdout, options: o, faults: map[string]int{}, done: map[string]int{}, fell: map[string]int{}, least: -1}
}

func (p *report) print(format string, args ...any) { _, _ = fmt.Fprintf(p.out, format, args...) } // for people

// calm tells of an undisturbed run.
func (p *report) calm(m Material, out outcome) error {
	last := out.states[len(out.states)-1]
	p.print("drops of seed %d: %d of %d owners, %d shards, %d objects compared, %d dead letters; undisturbed in %.1f s\n",
		m.Seed*materials, len(m.Drops), len(m.Owners), last.Shards, len(last.Files), len(last.Letters), out.took.Seconds())
	return p.forget(out.folder)
}

// run tells of a run with faults and what it left. Of one that went wrong everything is kept.
func (p *report) run(seed uint64, want []State, out outcome, stuck *stuckError) error {
	p.runs++
	p.took += out.took
	total := 0
	for k, n := range out.faults {
		p.faults[k] += n
		total += n
	}
	p.cost.add(out.cost)
	for k, n := range out.done {
		p.done[k] += n
	}
	var differences []string
	if stuck != nil {
		differences = append(append(differences, stuck.Error()), out.allWrong()...)
	} else {
		differences = append(compareAll(p.options.acts(), want, out.states), out.wrong...)
		if p.least < 0 || total < p.least {
			p.least = total
		}
		if total < p.options.faults {
			differences = append(differences, fmt.Sprintf("only %d faults happened", total))
		}
	}
	verdict := "same"
	if len(differences) > 0 {
		verdict = fmt.Sprintf("DIFFERENT (%d)", len(differences))
		p.differing++
		p.differences += len(differences)
	}
	p.print("seed %d: %d faults (%s), asked again: %s, redelivered %s, %.1f s: %s\n",
		seed, total, list(out.faults), list(out.done), list(out.cost.Redelivered), out.took.Seconds(), verdict)
	p.ends(out.ends)
	for _, note := range out.notes {
		p.print("    note: %s\n", note)
	}
	if len(differences) == 0 {
		return p.forget(out.folder)
	}
	for i, d := range differences {
		if i == 20 {
			p.print("    … and %d more\n", len(differences)-i)
			break
		}
		p.print("    %s\n", d)
	}
	p.print("    logs, objects and what differs: %s\n", out.folder)
	if stuck != nil {
		return nil
	}
	for n, a := range p.options.acts() {
		if err := keepBoth(filepath.Join(out.folder, "differences", a.name), want[n], out.states[n]); err != nil {
			return err
		}
	}
	return nil
}

// ends tells of workers that ended by themselves. Those that should not have are among the
// differences.
func (p *report) ends(all []ended) {
	for _, e := range all {
		if e.reason == "" {
			p.fell["unexplained"]++
			continue
		}
		p.fell[e.reason]++
		p.print("    %s\n", e.text())
	}
}

func (p *report) forget(folder string) error {
	if p.options.keep {
		p.print("    kept: %s\n", folder)
		return nil
	}
	if err := os.RemoveAll(folder); err != nil {
		return fmt.Errorf("remove folder of the run: %w", err)
	}
	return nil
}

// end prints the sums and tells whether anything was different.
func (p *report) end() bool {
	total := 0
	p.print("\n%-34s %s\n", "fault", "times")
	for _, k := range slices.Sorted(maps.Keys(p.faults)) {
		p.print("%-34s %5d\n", k, p.faults[k])
		total += p.faults[k]
	}
	p.print("\nmessages that came again: %s\n", list(p.cost.Redelivered))
	p.print("of %d shards, %d were written again, %d asked for again, %d extracted again\n", p.cost.Shards, p.cost.Packs, p.cost.Tasks, p.cost.Candidates)
	p.print("asked for again: %s\n", list(p.done))
	p.print("workers that ended by themselves and were started again: %s\n", list(p.fell))
	p.print("%d runs, %d faults (at least %d in a run), %.1f s a run, %d differences", p.runs, total, max(p.least, 0), p.took.Seconds()/float64(max(p.runs, 1)), p.differences)
	if p.differing > 0 {
		p.print(" in %d runs", p.differing)
	}
	p.print("\n")
	return p.differing > 0
}

func list(m map[string]int) string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		if m[k] > 0 {
			out = append(out, fmt.Sprintf("%s %d", k, m[k]))
		}
	}
	if out == nil {
		return "nothing"
	}
	return strings.Join(out, ", ")
}
