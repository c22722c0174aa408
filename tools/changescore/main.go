// Changescore tells how many changes in a life come out right: what a person says later must end
// what they said before. Each change is read by the rules and resolved into a store, in both orders
// of import.
//
//	go run ./tools/changescore [-v]
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
	"strings"

	"github.com/pamline/pamline/assemble"
	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

//go:embed testdata/changes.txt
var changes string

func main() {
	verbose := flag.Bool("v", false, "show the changes that come out wrong")
	flag.Parse()
	s, err := scoreChanges(changes)
	if err != nil {
		fmt.Fprintln(os.Stderr, "changescore:", err)
		os.Exit(1)
	}
	if *verbose {
		for _, w := range s.wrong {
			fmt.Println(w)
		}
	}
	fmt.Printf("changes: %d of %d right in %d languages; the order of imports matters in %d\n", s.right, s.total, len(s.languages), s.unordered)
}

// score is how many changes come out right.
type score struct {
	right, total, unordered int
	languages               map[string]bool
	wrong                   []string
}

// scoreChanges reads a table of changes, one a line: language, what was said before, what is said
// later, an expression that an active memory must have, and expressions that none may have.
func scoreChanges(table string) (score, error) {
	s := score{languages: map[string]bool{}}
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.Split(line, "|")
		if len(f) < 5 {
			return s, fmt.Errorf("read changes: %q has not five fields", line)
		}
		f[4] = strings.Join(f[4:], "|")
		for i := range f {
			f[i] = strings.TrimSpace(f[i])
		}
		before, after := saidConversation("before", "2023-02-01T10:00:00Z", f[1]), saidConversation("after", "2024-03-05T10:00:00Z", f[2])
		active, err := activeMemories(before, after)
		if err != nil {
			return s, err
		}
		other, err := activeMemories(after, before)
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
	}
	return s, nil
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
	if wanted != "" && matches(wanted) == "" {
		return "none has " + wanted
	}
	for e := range strings.SplitSeq(unwanted, ";") {
		if e = strings.TrimSpace(e); e != "" && matches(e) != "" {
			return matches(e) + " is active"
		}
	}
	return ""
}

// saidConversation is a conversation in which the person says one thing and is answered at length.
func saidConversation(id, at, text string) *pamio.Conversation {
	reply := strings.Repeat("Here is a longer answer with several points to think about, in some detail. ", 8)
	doc := &pamio.Conversation{ID: normalize.ConversationID("chatgpt", id)}
	doc.Provider.Name, doc.Temporal.CreatedAt = "chatgpt", at
	for i, t := range []string{text, reply} {
		role := []string{"user", "assistant"}[i]
		doc.Messages = append(doc.Messages, pamio.Message{ID: fmt.Sprint("m", i), Role: role, CreatedAt: at, Content: &pamio.Content{Type: "text", Text: &t}})
	}
	return doc
}

// activeMemories gives the contents of the active memories of the store that conversations make.
func activeMemories(docs ...*pamio.Conversation) (active []string, err error) {
	in := &input{}
	for _, d := range docs {
		found, _ := rules.New().Extract(d, nil)
		in.candidates = append(in.candidates, found...)
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
