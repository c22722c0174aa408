package segment

import (
	"compress/gzip"
	"encoding/csv"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// evaluation opens a file of the evaluation data, which lies beside the checkout where there is
// any.
func evaluation(t *testing.T, name string) io.Reader {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for ; filepath.Dir(dir) != dir; dir = filepath.Dir(dir) {
		f, err := os.Open(filepath.Join(dir, "shared", "eval", name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if filepath.Ext(name) != ".gz" {
			return f
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	t.Skip("the evaluation data is not beside the repository")
	return nil
}

func onlyProse(text string) bool {
	s := Message(text, nil)
	return len(s) == 1 && s[0].Kind == Prose
}

func TestTalkBetweenPeopleStaysProse(t *testing.T) {
	in := json.NewDecoder(evaluation(t, "msc-valid.jsonl.gz"))
	turns, prose, pretending := 0, 0, 0
	for {
		var talk struct {
			Dialog []struct{ Text string }
		}
		err := in.Decode(&talk)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var frame Frame
		for _, turn := range talk.Dialog {
			turns++
			if s := frame.Cut(turn.Text, nil); len(s) == 1 && s[0].Kind == Prose {
				prose++
			}
			if frame.Pretending() {
				pretending++
			}
		}
	}
	if turns == 0 || float64(prose) < 0.99*float64(turns) || float64(pretending) > 0.005*float64(turns) {
		t.Errorf("of %d turns %d are wholly prose, and %d make-believe", turns, prose, pretending)
	}
}

func TestPromptsLeaveNothingAboutThePerson(t *testing.T) {
	rows, err := csv.NewReader(evaluation(t, "negatives-prompts.csv")).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, row := range rows[1:] {
		for _, s := range Message(row[1], nil) {
			if s.Kind == Prose && hasFirstPerson(row[1][s.Start:s.End]) {
				left++
				break
			}
		}
	}
	if len(rows) < 50 || left*12 > len(rows) {
		t.Errorf("of %d prompts %d have prose of the first person", len(rows)-1, left)
	}
}

func TestFrenchChatsAreToldByEachLine(t *testing.T) {
	var talks []struct {
		Persona  []string
		Dialogue [][]string
	}
	if err := json.NewDecoder(evaluation(t, "xpersona-fr.json")).Decode(&talks); err != nil {
		t.Fatal(err)
	}
	lines, french, prose := 0, 0, 0
	for _, talk := range talks {
		for _, part := range append(talk.Dialogue, talk.Persona) {
			for _, line := range part {
				lines++
				if Language(line) == "fr" {
					french++
				}
				if onlyProse(line) {
					prose++
				}
			}
		}
	}
	if lines == 0 || float64(french) < 0.96*float64(lines) || float64(prose) < 0.99*float64(lines) {
		t.Errorf("of %d lines %d are French and %d wholly prose", lines, french, prose)
	}
}
