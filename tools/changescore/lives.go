package main

import (
	"fmt"
	"slices"
	"strings"
)

// life is what a person says over the years, and what must hold in the end.
type life struct {
	name             string
	said             []source
	wanted, unwanted []string
	changes          []change
}

// change is what must and what must not hold for one change of a life to be right.
type change struct{ wanted, unwanted string }

// readLives reads a table of lives; testdata/lives.txt explains its form.
func readLives(table string) ([]life, error) {
	var lives []life
	for line := range strings.Lines(table) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		word, rest, _ := strings.Cut(line, " ")
		if word == "life" {
			lives = append(lives, life{name: rest})
			continue
		}
		if len(lives) == 0 {
			return nil, fmt.Errorf("read lives: %q stands before the first life", line)
		}
		l := &lives[len(lives)-1]
		switch f := splitFields(line); {
		case word == "want":
			l.wanted = append(l.wanted, rest)
		case word == "not":
			l.unwanted = append(l.unwanted, rest)
		case word == "change" && len(f) == 3:
			l.changes = append(l.changes, change{f[1], f[2]})
		case len(f) == 3:
			s := source{id: fmt.Sprint(l.name, len(l.said)), at: f[0] + "T10:00:00Z"}
			if record, ok := strings.CutPrefix(f[2], "(memory)"); ok {
				s.records = []string{strings.TrimSpace(record)}
			} else {
				s.text = f[2]
			}
			l.said = append(l.said, s)
		default:
			return nil, fmt.Errorf("read lives: %q is neither words with date and provider nor a want, not or change", line)
		}
	}
	return lives, nil
}

// scoreLives counts what holds at the end of each life of a table.
func scoreLives(table string) (score, error) {
	s := score{languages: map[string]bool{}}
	lives, err := readLives(table)
	if err != nil {
		return s, err
	}
	for i := range lives {
		l := &lives[i]
		active, err := activeMemories(l.said...)
		if err != nil {
			return s, err
		}
		slices.Reverse(l.said)
		other, err := activeMemories(l.said...)
		if err != nil {
			return s, err
		}
		if !slices.Equal(active, other) {
			s.unordered++
		}
		judge := func(wanted, unwanted string) {
			s.total++
			if fault := judgeActive(active, wanted, unwanted); fault != "" {
				s.wrong = append(s.wrong, fmt.Sprintf("%s: %s; active: %s", l.name, fault, strings.Join(active, " ")))
				return
			}
			s.right++
		}
		for _, e := range l.wanted {
			judge(e, "")
		}
		for _, e := range l.unwanted {
			judge("", e)
		}
		for _, c := range l.changes {
			judge(c.wanted, c.unwanted)
		}
	}
	return s, nil
}
