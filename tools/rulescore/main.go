// Command rulescore measures how often each family of the rule extractor is right. It reads the
// evaluation data beside the checkout (../shared/eval, see -eval) and prints, for each family, in
// how many of the person's turns it found something and in what share of these the annotators did,
// too:
//
//	go run ./tools/rulescore
//	go run ./tools/rulescore -list fact.habit | less   # what it found, wrong ones first
//	go run -tags frozen ./tools/rulescore -speed       # MB of the person's text per second
//
// The annotations are incomplete, so the figures are lower bounds. The confidence of a family in
// extract/rules/calibration.yaml is the pooled figure, rounded down; families with fewer than five
// hits have a cautious one.
package main

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/pamline/pamline/extract/rules"
	"github.com/pamline/pamline/pamio"
)

// tally counts the turns in which a family found something.
type tally struct{ hits, right map[string]int }

func main() {
	folder := flag.String("eval", filepath.Join("..", "shared", "eval"), "folder of the evaluation data")
	list := flag.String("list", "", "print what this family found, or all with \"all\"")
	set := flag.String("set", "", "only this set: talk (msc-valid) or chats (alps-dev)")
	language := flag.String("language", "", "only candidates in this language")
	speed := flag.Bool("speed", false, "measure how fast the rules read instead")
	flag.Parse()
	var err error
	if *speed {
		err = measureSpeed(os.Stdout, *folder)
	} else {
		err = run(os.Stdout, *folder, *list, *set, *language)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "rulescore:", err)
		os.Exit(1)
	}
}

func run(out io.Writer, folder, list, only, language string) error {
	sets := []struct {
		name string
		read func(string) ([]session, error)
		file string
	}{{"talk", readTalk, "msc-valid.jsonl.gz"}, {"chats", readChats, "alps-dev.jsonl.gz"}}
	if only != "" && only != "talk" && only != "chats" {
		return fmt.Errorf("read -set: there is no set %q: say talk or chats", only)
	}
	counts := map[string]tally{}
	var wrong, right []string
	for _, s := range sets {
		if only != "" && only != s.name {
			continue
		}
		sessions, err := s.read(filepath.Join(folder, s.file))
		if err != nil {
			return err
		}
		x := rules.New()
		n := tally{map[string]int{}, map[string]int{}}
		for i := range sessions {
			candidates, _ := x.Extract(&sessions[i].doc, nil)
			type place struct{ rule, message string }
			seen := map[place]bool{}
			for j := range candidates {
				c := &candidates[j]
				if language != "" && c.Language != language {
					continue
				}
				p := place{c.Rule, c.Evidence[0].Message}
				turn, err := strconv.Atoi(p.message)
				if err != nil {
					return fmt.Errorf("message %s: %w", p.message, err)
				}
				_, good := sessions[i].gold[turn]
				if c.Rule == list || list == "all" {
					line := fmt.Sprintf("%-5t %s  %s  <- %s  [%s]", good, c.Rule, c.Content, c.Evidence[0].Quote, sessions[i].gold[turn])
					if good {
						right = append(right, line)
					} else {
						wrong = append(wrong, line)
					}
				}
				if seen[p] {
					continue
				}
				seen[p] = true
				n.hits[p.rule]++
				if good {
					n.right[p.rule]++
				}
			}
		}
		counts[s.name] = n
	}
	for _, line := range append(wrong, right...) {
		if _, err := fmt.Fprintln(out, line); err != nil {
			return fmt.Errorf("write list: %w", err)
		}
	}
	if list == "" {
		return report(out, counts)
	}
	return nil
}

func report(out io.Writer, counts map[string]tally) error {
	pooled := tally{map[string]int{}, map[string]int{}}
	for _, n := range counts {
		for f, k := range n.hits {
			pooled.hits[f] += k
			pooled.right[f] += n.right[f]
		}
	}
	families := slices.SortedFunc(maps.Keys(pooled.hits), func(a, b string) int {
		return cmp.Or(pooled.hits[b]-pooled.hits[a], cmp.Compare(a, b))
	})
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	rows := []string{"family\ttalk hits\tprecision\tchats hits\tprecision\tpooled\t\n"}
	cell := func(n tally, f string) string {
		if n.hits[f] == 0 {
			return "0\t-"
		}
		return fmt.Sprintf("%d\t%.3f", n.hits[f], float64(n.right[f])/float64(n.hits[f]))
	}
	for _, f := range families {
		rows = append(rows, fmt.Sprintf("%s\t%s\t%s\t%.3f\t\n", f, cell(counts["talk"], f), cell(counts["chats"], f), float64(pooled.right[f])/float64(pooled.hits[f])))
	}
	_, err := io.WriteString(w, strings.Join(rows, ""))
	if err := errors.Join(err, w.Flush()); err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// conversation makes a conversation of turns; the ids of messages are their places.
func conversation(id string, turns []turn) pamio.Conversation {
	doc := pamio.Conversation{ID: id}
	doc.Provider.Name = "local"
	for i := range turns {
		doc.Messages = append(doc.Messages, pamio.Message{ID: strconv.Itoa(i), Role: turns[i].Role,
			Content: &pamio.Content{Type: "text", Text: &turns[i].Text}})
	}
	return doc
}
