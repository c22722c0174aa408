package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// annotated is a folder with evaluation data of our own making.
func annotated(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{
		"msc-valid.jsonl.gz": `{"id":"d1","dialog":[{"id":"bot_0","text":"I live in Bergen.","facts":"lives in Bergen"},{"id":"bot_1","text":"I live in Turin.","facts":""}]}` + "\n",
		"alps-dev.jsonl.gz": `{"session_id":"s1","dialogue":[{"role":"user","text":"I live in Lyon. What is the weather?"},{"role":"assistant","text":"I live in a computer."}],` +
			`"gold":[{"value":"home: Lyon","evidence":{"text":"I live in Lyon","utterance_index":0}}]}` + "\n",
	} {
		f, err := os.Create(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		z := gzip.NewWriter(f)
		if _, err := io.WriteString(z, text); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestAFamilyIsRightWhereTheAnnotatorsFoundSomething(t *testing.T) {
	var out strings.Builder
	if err := run(&out, annotated(t), "", "", ""); err != nil {
		t.Fatal(err)
	}
	// Two of the person's turns in the talk, one of them annotated; one in the chats, annotated.
	// The assistant's is nobody's.
	found := false
	for line := range strings.Lines(out.String()) {
		if f := strings.Fields(line); len(f) == 6 && f[1] == "2" {
			found = true
			if got := strings.Join(f[1:], " "); got != "2 0.500 1 1.000 0.667" {
				t.Errorf("%s: %s", f[0], got)
			}
		}
	}
	if !found {
		t.Errorf("no family found something in both turns:\n%s", out.String())
	}
}

func TestTheListHasTheWrongOnesFirst(t *testing.T) {
	var out strings.Builder
	if err := run(&out, annotated(t), "all", "", ""); err != nil {
		t.Fatal(err)
	}
	wrong, right := strings.Index(out.String(), "false "), strings.Index(out.String(), "true ")
	if wrong != 0 || right < wrong || !strings.Contains(out.String(), "[lives in Bergen]") {
		t.Error(out.String())
	}
	out.Reset()
	if err := run(&out, annotated(t), "all", "chats", ""); err != nil || strings.Contains(out.String(), "Bergen") {
		t.Errorf("of one set: %v\n%s", err, out.String())
	}
}

func TestWhatCannotBeReadIsRefused(t *testing.T) {
	if err := run(io.Discard, t.TempDir(), "", "", ""); err == nil || !strings.Contains(err.Error(), "-eval names the folder") {
		t.Errorf("no data: %v", err)
	}
	if err := run(io.Discard, annotated(t), "", "talks", ""); err == nil || !strings.Contains(err.Error(), "say talk or chats") {
		t.Errorf("no such set: %v", err)
	}
	folder := annotated(t)
	if err := os.WriteFile(filepath.Join(folder, "msc-valid.jsonl.gz"), []byte("plain"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(io.Discard, folder, "", "", ""); err == nil || !strings.Contains(err.Error(), "msc-valid") {
		t.Errorf("not compressed: %v", err)
	}
}

func TestAMemoryIsPlacedByItsWordsAndElseByItsIndex(t *testing.T) {
	talk := []turn{{"user", "I live in Lyon."}, {"assistant", "I live in Lyon, too."}, {"user", "Lovely!"}, {"user", "I LIVE, in Lyon"}}
	for name, c := range map[string]struct {
		text, index string
		want        int
	}{
		"words and index agree":        {`"I live in Lyon"`, "3", 3},
		"words elsewhere":              {`"I live in Lyon"`, "2", 0},
		"no index":                     {`"lovely"`, "null", 2},
		"words of nobody, an index":    {`"somewhere else"`, "2", 2},
		"the index is an assistant's":  {`"somewhere else"`, "1", -1},
		"an index beyond the dialogue": {`"somewhere else"`, "9", -1},
		"nothing to go by":             {`""`, "null", -1},
	} {
		m := memory{}
		m.Evidence.Text, m.Evidence.Index = []byte(c.text), []byte(c.index)
		if got := place(talk, &m); got != c.want {
			t.Errorf("%s: %d, want %d", name, got, c.want)
		}
	}
}

func TestSpeedCountsWhatThePersonSaid(t *testing.T) {
	var out strings.Builder
	if err := measureSpeed(&out, annotated(t)); err != nil {
		t.Fatal(err)
	}
	rows := map[string]string{}
	for line := range strings.Lines(out.String()) {
		f := strings.Fields(line)
		rows[strings.Join(f[:len(f)-4], " ")] = f[len(f)-4] + " " + f[len(f)-3]
	}
	// The talk is read twice: either is the person once. A session of one sentence has no language
	// that is sure, or it is English.
	if rows["talk"] != "2 2" || rows["chats"] != "1 1" || rows["chats ru"] != "0 0" {
		t.Errorf("rows are %v:\n%s", rows, out.String())
	}
}
