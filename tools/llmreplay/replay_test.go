package main

import (
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// recorded writes a file of recorded answers of our own making.
func recorded(t *testing.T, lines ...string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "recorded.jsonl.gz")
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	_, err = io.WriteString(z, strings.Join(lines, "\n")+"\n")
	if err := errors.Join(err, z.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	return file
}

const kitchen = `{"session_id":"s1","dialogue":[
{"role":"user","text":"Hello! I bake bread every Sunday, and I live in Lund. Which flour is best?"},
{"role":"assistant","text":"You must love rye, Petra."},
{"role":"user","text":"Thanks. My sister Ida is coming to stay."}],
"gold":[
{"type":"direct","label":"Preferences/Food","value":"Bakes bread every Sunday","time_scope":"long_term","evidence":{"text":"I bake bread every Sunday","utterance_index":0}},
{"type":"direct","label":"Personal_Background/Location","value":"Lives in Lund","time_scope":"long_term","evidence":{"text":"and i live in Lund","utterance_index":2}},
{"type":"direct","label":"Social_Relationships/Family","value":"Has a sister named Ida","time_scope":"recent","evidence":{"text":["My sister Ida"],"utterance_index":2}}],
"rejected":[
{"type":"indirect","label":"Preferences/Food","value":"Loves rye [ERROR: the assistant said so]","time_scope":"unknown","confidence":0.1,"evidence":{"text":"You must love rye","utterance_index":1}},
{"type":"indirect","label":"Personal_Background/Identity","value":"Is called Petra","time_scope":"unknown","evidence":{"text":"I bake bread every Sunday","utterance_index":0}}]}`

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }

func TestGuardsAreMeasuredOnRecordedAnswers(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, recorded(t, oneLine(kitchen)), "", false); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"1 conversations, 3 memories that annotators approved, 2 that they rejected",
		"everything (LangMem: no check of evidence) 1.000 1.000 0.600",
		"mem0: everything but the same text again 1.000 1.000 0.600",
		"Graphiti: known names, a turn that exists, normalized text once 1.000 1.000 0.600",
		"pamline: any confidence 1.000 0.000 1.000",
		"0.80 1 0 1.000", // the right turn
		"0.65 2 0 1.000", // another turn than the one that was cited; a state that passes
		"foreign-turn 0 1 0.000",
		"unsupported 0 1 0.000",
	} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	out.Reset()
	if err := run(t.Context(), &out, recorded(t, oneLine(kitchen)), "", true); err != nil || !strings.Contains(out.String(), "foreign-turn\tfalse\tLoves rye\t<- You must love rye\n") {
		t.Errorf("%v\n%s", err, out.String())
	}
}

func TestWithoutRecordingsNothingIsMeasured(t *testing.T) {
	if err := run(t.Context(), io.Discard, filepath.Join(t.TempDir(), "none.gz"), "", false); !errors.Is(err, errAbsent) {
		t.Errorf("%v", err)
	}
	file := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(file, []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := run(t.Context(), io.Discard, file, "", false); err == nil || errors.Is(err, errAbsent) {
		t.Errorf("a file that is not compressed: %v", err)
	}
	if err := run(t.Context(), io.Discard, recorded(t, "{"), "", false); err == nil {
		t.Error("a line that is no JSON is passed over")
	}
}

func TestTheServerFindsTheSessionByItsTurns(t *testing.T) {
	other := strings.ReplaceAll(strings.ReplaceAll(oneLine(kitchen), "s1", "s2"), "bread", "cakes")
	sessions, err := readSessions(recorded(t, oneLine(kitchen), other))
	if err != nil {
		t.Fatal(err)
	}
	s := httptest.NewServer(newServer(sessions))
	defer s.Close()
	ask := func(question string) (int, string) {
		body, err := json.Marshal(map[string]any{"messages": []any{map[string]any{"role": "user", "content": question}}})
		if err != nil {
			t.Fatal(err)
		}
		r, err := http.Post(s.URL+"/v1/chat/completions", "application/json", strings.NewReader(string(body)))
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		text, err := io.ReadAll(r.Body)
		if err != nil {
			t.Fatal(err)
		}
		return r.StatusCode, string(text)
	}
	whole := "<data-ab>\n<turn-ab 1 user evidence>\nHello! I bake cakes every Sunday, and I live in Lund. Which flour is best?\n" +
		"<turn-ab 2 assistant context>\nYou must […]\n<turn-ab 3 user evidence 2024-01-02>\nThanks. My sister Ida is coming to stay.\n</data-ab>\nEnd."
	if _, got := ask(whole); !strings.Contains(got, "Bakes cakes") || !strings.Contains(got, "Ida") || strings.Contains(got, "bread") {
		t.Error(got)
	}
	// A part of a turn, and nothing of the others: what they prove is not answered.
	if _, got := ask("<turn-ab 1 user evidence>\n<draft-ab>cakes every Sunday, and</draft-ab> I live in Lund.\n</data-ab>"); !strings.Contains(got, "Bakes cakes") || strings.Contains(got, "Ida") {
		t.Error(got)
	}
	if status, got := ask("<turn-ab 1 user evidence>\nSomething else.\n</data-ab>"); status != http.StatusOK || !strings.Contains(got, `\"memories\":[]`) {
		t.Error(status, got)
	}
	for path, body := range map[string]string{"/v1/chat/completions": "{}", "/v1/models": ""} {
		r, err := http.Post(s.URL+path, "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		if r.Body.Close(); r.StatusCode < 400 {
			t.Errorf("%s: %d", path, r.StatusCode)
		}
	}
}

func TestTheServerEndsWhenInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	started, out := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- run(ctx, out, recorded(t, oneLine(kitchen)), "127.0.0.1:0", false)
		out.Close()
	}()
	line := make([]byte, 64)
	n, err := started.Read(line)
	if err != nil || !strings.HasPrefix(string(line[:n]), "serving at http://127.0.0.1:") {
		t.Fatalf("%q %v", line[:n], err)
	}
	cancel()
	rest, err := io.ReadAll(started)
	if err != nil || !strings.Contains(string(rest), "0 requests answered") {
		t.Errorf("%q %v", rest, err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}
