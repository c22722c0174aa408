package inspect

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/cmd/internal/bundletest"
	"github.com/pamline/pamline/pamio"
)

func bundle(t *testing.T) (*pamio.Bundle, string) {
	t.Helper()
	folder := t.TempDir()
	if err := bundletest.Write(folder); err != nil {
		t.Fatal(err)
	}
	b, c, err := Open(folder)
	if err != nil || c != nil {
		t.Fatal(c, err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, folder
}

func contains(t *testing.T, text string, wants ...string) {
	t.Helper()
	for _, w := range wants {
		if !strings.Contains(text, w) {
			t.Errorf("%q is not in\n%s", w, text)
		}
	}
}

func TestASummaryCountsWhatIsThere(t *testing.T) {
	b, _ := bundle(t)
	s, err := Summarize(t.Context(), b)
	if err != nil {
		t.Fatal(err)
	}
	if s.Memories != 2 || s.Conversations != 3 || s.Messages != 9 || s.MemoriesByType["preference"] != 1 || s.ConversationsByPlatform["chatgpt"] != 2 || s.Unreadable != 0 {
		t.Errorf("got %+v", s)
	}
	var out strings.Builder
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "Memory store of me", "memories       2 (fact 1, preference 1)", "chatgpt 2, claude 1", "2025-03-01 to 2025-03-02", "Likes tea more than coffee.", "Evening tea")
	if strings.ContainsAny(out.String(), "\x1b\u202e") {
		t.Errorf("control characters of a title reach the terminal: %q", out.String())
	}
}

func TestASummaryCountsAssets(t *testing.T) {
	_, folder := bundle(t)
	for name, text := range map[string]string{"assets/a.png": "12345", "assets/more/b.txt": "678"} {
		file := filepath.Join(folder, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b, _, err := Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	s, err := Summarize(t.Context(), b)
	if err != nil || s.Assets != 2 || s.AssetBytes != 8 {
		t.Fatalf("got %+v, %v", s, err)
	}
	var out strings.Builder
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "assets         2 (8 bytes)")
}

func TestWhyShowsTheWordsAndWhereTheyStand(t *testing.T) {
	b, _ := bundle(t)
	for _, id := range []string{bundletest.Likes, "AAAAAAAA"} {
		r, err := Why(t.Context(), b, id)
		if err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if err := r.WriteText(&out); err != nil {
			t.Fatal(err)
		}
		contains(t, out.String(), "Likes tea more than coffee.", "said: “I like tea more than coffee”", "user: I like tea more than coffee. Which one", "Evening tea", "message root-q", "and 2 more")
	}
}

func TestWhyFallsBackOnProvenance(t *testing.T) {
	b, _ := bundle(t)
	r, err := Why(t.Context(), b, bundletest.Lives)
	if err != nil || len(r.Evidence) != 1 || r.Evidence[0].Role != "user" || r.Total != 1 {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestWhySaysWhyThereIsNothingToShow(t *testing.T) {
	b, folder := bundle(t)
	if _, err := Why(t.Context(), b, "aaaa"); !errors.Is(err, ErrAmbiguous) {
		t.Errorf("two ids: %v", err)
	}
	if _, err := Why(t.Context(), b, "ffff0000"); !errors.Is(err, ErrNoMemory) {
		t.Errorf("no id: %v", err)
	}
	if _, err := Why(t.Context(), b, "aa"); !errors.Is(err, ErrNoMemory) {
		t.Errorf("too short: %v", err)
	}
	if err := os.Remove(filepath.Join(folder, "conversations", bundletest.Talk+".json")); err != nil {
		t.Fatal(err)
	}
	r, err := Why(t.Context(), b, bundletest.Likes)
	if err != nil || r.Evidence[0].Missing == "" || r.Evidence[0].Quote == "" {
		t.Errorf("the conversation is gone: %+v, %v", r, err)
	}
}

func TestAConversationFile(t *testing.T) {
	_, folder := bundle(t)
	b, c, err := Open(filepath.Join(folder, "conversations", bundletest.Talk+".json"))
	if err != nil || b != nil {
		t.Fatal(b, err)
	}
	s := SummarizeConversation(c)
	if s.Messages != 3 || s.Branches != 1 || s.Roles["assistant"] != 2 || s.Models["gpt-4o"] != 2 {
		t.Errorf("got %+v", s)
	}
	var out strings.Builder
	if err := s.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "Conversation Evening tea", "assistant 2, user 1", "branches       1", "conversations.json")
}

func TestWhatIsNoBundleIsAnError(t *testing.T) {
	folder := t.TempDir()
	for name, text := range map[string]string{
		"empty": "", "text": "hello", "other.json": `{"schema":"else"}`, "array.json": `[1,2]`, "embeddings.json": `{"schema":"portable-ai-memory-embeddings","schema_version":"1.0","embeddings":[]}`,
	} {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		b, _, err := Open(path)
		if err == nil {
			_, err = Summarize(t.Context(), b)
			_ = b.Close()
		}
		if err == nil {
			t.Errorf("%s was summarized", name)
		}
	}
	if _, _, err := Open(filepath.Join(folder, "none")); err == nil || !strings.Contains(err.Error(), "none") {
		t.Errorf("a missing path: %v", err)
	}
}

func TestARelationOfAnotherMakerIsFitForATerminal(t *testing.T) {
	var out strings.Builder
	r := Reasons{Linked: []Linked{{Relation: "\x1b[31mis like", ID: bundletest.Likes}}}
	if err := r.WriteText(&out); err != nil {
		t.Fatal(err)
	}
	contains(t, out.String(), "[31mis like "+bundletest.Likes)
	if strings.Contains(out.String(), "\x1b") {
		t.Errorf("%q", out.String())
	}
}

func TestLinesAreFitForATerminal(t *testing.T) {
	for in, want := range map[string]string{
		"plain": "plain", " a\n\tb  c ": "a b c", "\x1b[31mred": "[31mred", "a\u202eb\u200b": "ab", "1234567890": "12345678…", "é東🙂": "é東🙂", "": "", "\n": "", "12345678": "12345678", "1234 678 ": "1234 678",
	} {
		if got := line(in, 8); got != want {
			t.Errorf("line(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestTalliesAreBounded(t *testing.T) {
	tally := Tally{}
	for i := range 10 * maxNames {
		tally.add(strings.Repeat("x", i%5)+string(rune('A'+i)), 1)
	}
	if len(tally) > maxNames+1 || tally["(others)"] == 0 {
		t.Errorf("%d names", len(tally))
	}
	b := best[int]{n: 3, before: func(a, c int) int { return c - a }}
	for _, v := range []int{5, 1, 9, 7, 9, 2} {
		b.add(v)
	}
	if len(b.kept) != 3 || b.kept[0] != 9 || b.kept[1] != 9 || b.kept[2] != 7 {
		t.Errorf("kept %v", b.kept)
	}
}
