// Changescore tells how many changes in a life come out right: what a person says later must end
// what they said before. Each change is read by the rules and resolved into a store, in both orders
// of import. The second table has changes as people tell them in a chat, written before the rules
// that read them; the third what sounds like a change and is none. The lives of the last table go
// over years.
//
//	go run ./tools/changescore [-v] [FILE...]
package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"iter"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

//go:embed testdata/changes.txt
var changes string

//go:embed testdata/told.txt
var told string

//go:embed testdata/kept.txt
var kept string

//go:embed testdata/lives.txt
var lives string

func main() {
	verbose := flag.Bool("v", false, "show the changes that come out wrong")
	flag.Parse()
	tables := []table{{"changes", changes, scoreChanges}, {"as told in a chat", told, scoreChanges}, {"what ends nothing", kept, scoreChanges}, {"lives", lives, scoreLives}}
	if flag.NArg() > 0 {
		tables = nil
	}
	for _, name := range flag.Args() {
		text, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, "changescore: read table:", err)
			os.Exit(1)
		}
		t := table{name, string(text), scoreChanges}
		if strings.Contains("\n"+t.text, "\nlife ") {
			t.score = scoreLives
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		s, err := t.score(t.text)
		if err != nil {
			fmt.Fprintln(os.Stderr, "changescore:", err)
			os.Exit(1)
		}
		if *verbose {
			for _, w := range s.wrong {
				fmt.Println(w)
			}
		}
		fmt.Printf("%s: %d of %d right; %d had nothing to end; the order of imports matters in %d\n", t.name, s.right, s.total, s.idle, s.unordered)
	}
}

// table has changes or lives, and how they are scored.
type table struct {
	name, text string
	score      func(string) (score, error)
}

// score is how many changes come out right.
type score struct {
	right, total, unordered int
	// idle are the right ones that only had to end what was never found.
	idle      int
	languages map[string]bool
	wrong     []string
}

// scoreChanges reads a table of changes, one a line: language, what was said before, what is said
// later, expressions that active memories must have, and expressions that none may have.
func scoreChanges(table string) (score, error) {
	s := score{languages: map[string]bool{}}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := splitFields(line)
		if len(f) != 5 {
			return s, fmt.Errorf("read changes: %q has not five fields", line)
		}
		said := readHistory(f[1], f[2])
		active, err := activeMemories(said...)
		if err != nil {
			return s, err
		}
		slices.Reverse(said)
		other, err := activeMemories(said...)
		if err != nil {
			return s, err
		}
		if strings.Join(active, "\n") != strings.Join(other, "\n") {
			s.unordered++
		}
		s.total++
		s.languages[f[0]] = true
		if fault := judgeActive(active, f[3], f[4]); fault != "" {
			s.wrong = append(s.wrong, fmt.Sprintf("%s: %s → %s: %s; active: %s", f[0], f[1], f[2], fault, strings.Join(active, " ")))
			continue
		}
		s.right++
		if f[3] == "" {
			earlier, err := activeMemories(said[1:]...) // said is turned around
			if err != nil {
				return s, err
			}
			if judgeActive(earlier, "", f[4]) == "" {
				s.idle++
			}
		}
	}
	return s, nil
}

// splitFields parts a line at each "|" that has a space on a side; others belong to expressions.
func splitFields(line string) []string {
	fields := strings.Split(line, "|")
	out := fields[:1]
	for _, f := range fields[1:] {
		if last := out[len(out)-1]; last != "" && !strings.HasSuffix(last, " ") && f != "" && !strings.HasPrefix(f, " ") {
			out[len(out)-1] += "|" + f
		} else {
			out = append(out, f)
		}
	}
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// judgeActive tells what is wrong with the active memories, "" when nothing is.
func judgeActive(active []string, wanted, unwanted string) string {
	matches := func(expression string) string {
		for _, m := range active {
			if regexp.MustCompile("(?i)" + expression).MatchString(m) {
				return m
			}
		}
		return ""
	}
	for e := range strings.SplitSeq(wanted, ";") {
		if e = strings.TrimSpace(e); e != "" && matches(e) == "" {
			return "none has " + e
		}
	}
	for e := range strings.SplitSeq(unwanted, ";") {
		if e = strings.TrimSpace(e); e != "" && matches(e) != "" {
			return matches(e) + " is active"
		}
	}
	return ""
}

// activeMemories gives the contents of the active memories of the store that a history makes.
func activeMemories(said ...source) (active []string, err error) {
	in := &input{}
	for _, s := range said {
		in.candidates = append(in.candidates, s.candidates()...)
	}
	r, err := assemble.Assemble(context.Background(), in, in, assemble.Options{})
	if err != nil {
		return nil, fmt.Errorf("assemble: %w", err)
	}
	defer func() { err = errors.Join(err, r.Close()) }()
	var text strings.Builder
	if _, err := io.Copy(&text, r.Memories.Reader()); err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	var memories []pamio.Memory
	if err := json.Unmarshal([]byte("["+text.String()+"]"), &memories); err != nil {
		return nil, fmt.Errorf("read memories: %w", err)
	}
	for _, m := range memories {
		if m.Status == "active" {
			active = append(active, m.Content)
		}
	}
	return active, nil
}

// input is candidates alone, without documents.
type input struct{ candidates []normalize.Candidate }

func emptySeq[T any]() iter.Seq2[T, error] { return func(func(T, error) bool) {} }

func (*input) Snapshots(context.Context) iter.Seq2[assemble.Snapshot, error] {
	return emptySeq[assemble.Snapshot]()
}
func (*input) Read(context.Context, assemble.Snapshot) ([]byte, error) {
	return nil, errors.New("there is no document")
}
func (*input) ReadPack(context.Context, string, []assemble.Snapshot, func(assemble.Snapshot, []byte) error) error {
	return errors.New("there is no document")
}
func (in *input) Candidates(context.Context) iter.Seq2[normalize.Candidate, error] {
	return func(yield func(normalize.Candidate, error) bool) {
		for _, c := range in.candidates {
			if !yield(c, nil) {
				return
			}
		}
	}
}
func (*input) Past(context.Context) iter.Seq2[normalize.Candidate, error] {
	return emptySeq[normalize.Candidate]()
}
func (*input) Edits(context.Context) iter.Seq2[assemble.Edit, error] {
	return emptySeq[assemble.Edit]()
}
func (*input) Vectors(context.Context) iter.Seq2[assemble.Vector, error] {
	return emptySeq[assemble.Vector]()
}
func (*input) Previous(context.Context) iter.Seq2[assemble.Folded, error] {
	return emptySeq[assemble.Folded]()
}
func (*input) Conversations(context.Context, []assemble.File) error { return nil }
