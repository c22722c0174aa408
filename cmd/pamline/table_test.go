package main

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

func tableText(t *testing.T, width int) string {
	t.Helper()
	var b strings.Builder
	err := table{
		columns: []column{{name: "ID", most: 8}, {name: "FILE", flexible: true}, {name: "OWNER"}, {name: "STATE"}},
		rows: []row{
			{cells: []string{"0123456789abcdef", strings.Repeat("long-name-", 12) + ".zip", "", "done"}},
			{cells: []string{"fedcba98", "ärger\x1b.json", "", "refused"}, notes: []string{strings.Repeat("this is why ", 20)}},
		},
		width: width,
	}.WriteText(&b)
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestTableFitsTheTerminal(t *testing.T) {
	text := tableText(t, 80)
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"01234567…"[:7], "done\n", "refused\n", `\u001b`, "…"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if strings.Contains(text, "OWNER") {
		t.Errorf("an empty column is shown:\n%s", text)
	}
}

func TestTableForProgramsIsNotCut(t *testing.T) {
	text := tableText(t, 0)
	if strings.Contains(text, "…") || !strings.Contains(text, "0123456789abcdef  long-name-") || !strings.Contains(text, strings.TrimSpace(strings.Repeat("this is why ", 20))) {
		t.Error(text)
	}
}

func TestListOfImportsFitsEightyColumnsWhateverIsInIt(t *testing.T) {
	left := 3600.0
	list := statusList{
		{Owner: "a-long-owner-name", Drop: strings.Repeat("d", 64), Import: strings.Repeat("a", 32), State: status.StateExtracting, Shards: 7, Extracted: 3, SecondsLeft: &left,
			Files: []string{strings.Repeat("export", 20) + ".zip"}, Providers: []string{"chatgpt", "openwebui"}, Conversations: 123456, UpdatedAt: "2026-03-01T12:00:00Z"},
		{Owner: "bob", Drop: strings.Repeat("e", 64), State: state.StateRefused, Reason: strings.Repeat("a reason ", 30), Hint: strings.Repeat("do this ", 20)},
	}
	var b strings.Builder
	if err := list.table(80).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(b.String()) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	for _, want := range []string{"aaaaaaaa", "extracting 42%", "refused", "reason: a reason"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
}
