package aider_test

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/aider"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
)

var format = importertest.Format{Importer: aider.New()}

func history(t testing.TB) importertest.File {
	t.Helper()
	data, err := os.ReadFile("testdata/history.md")
	if err != nil {
		t.Fatal(err)
	}
	return importertest.File{Name: "kites/.aider.chat.history.md", Data: data}
}

func read(t testing.TB, files ...importertest.File) *importertest.Result {
	t.Helper()
	r := importertest.Read(t, aider.New(), importer.Limits{}, files...)
	format.Check(t, r)
	return r
}

func said(d *pamio.Conversation) (out []string) {
	for _, m := range d.Messages {
		out = append(out, m.Role+": "+*m.Content.Text)
	}
	return out
}

func TestRunsAreConversations(t *testing.T) {
	r := read(t, history(t), importertest.File{Name: "kites/.aider.input.history", Data: []byte("\n# 2025-05-01 12:00:00\n+Why does the kite fall?\n")})
	importertest.Documents(t, "testdata/history.golden", r)
	format.Coverage(t, "testdata/coverage.golden", r)
	docs := r.Conversations()
	if len(docs) != 2 || r.Skips()["prompt-history"] != 1 || r.Skips()["empty-run"] != 1 {
		t.Fatalf("%d conversations, skips %v", len(docs), r.Skips())
	}
	first := said(docs[0].Doc)
	if len(first) != 5 || first[1] != "user: Why does the kite fall?\nIt fell twice today." || !strings.HasPrefix(first[2], "assistant: Its tail") ||
		!strings.Contains(first[2], "#### A heading of the answer\n\n> A quotation in the answer") || !strings.HasSuffix(first[2], "> not a notice\n```") ||
		first[3] != "tool: Tokens: 2.1k sent, 100 received. Cost: $0.01 message, $0.01 session.\nApplied edit to kite.py" || first[4] != "user: /exit" {
		t.Errorf("%q", first)
	}
	if got, want := said(docs[1].Doc), []string{"user: Name a wind.", "assistant: The föhn.", "tool: Tokens: 10 sent, 2 received."}; !slices.Equal(got, want) {
		t.Errorf("a run whose marks have no spaces behind them: %q, want %q", got, want)
	}
	if at := docs[0].Doc.Temporal.CreatedAt; at != "2025-05-01T12:00:00Z" || docs[0].Anomalies["local_time"] != 1 {
		t.Errorf("created at %s, %v", at, docs[0].Anomalies)
	}
}

// One behind the other, the restored texts are the file.
func TestTheFileComesBack(t *testing.T) {
	for name, data := range map[string]string{
		"the fixture":         string(history(t).Data),
		"Windows line ends":   strings.ReplaceAll(string(history(t).Data), "\n", "\r\n"),
		"no end of line":      strings.TrimRight(string(history(t).Data), "\n"),
		"text before a run":   "Notes of mine.\n" + string(history(t).Data),
		"odd marks":           "# aider chat started at never\n####\n#### \n>\n>x\n####x\n  #### y  \n",
		"a mark of the order": "\ufeff" + strings.TrimLeft(string(history(t).Data), "\n"),
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, importertest.File{Name: "h.md", Data: []byte(data)})
			var back strings.Builder
			for _, u := range r.Units {
				for _, i := range u.Items {
					if i.Skip != nil {
						var text string
						if err := json.Unmarshal(u.Raw, &text); err != nil {
							t.Fatal(err)
						}
						back.WriteString(text)
						continue
					}
					raw, err := aider.New().Restore(nil, i.Conversation.Doc)
					if err != nil {
						t.Fatal(err)
					}
					var text string
					if err := json.Unmarshal(raw, &text); err != nil {
						t.Fatal(err)
					}
					back.WriteString(text)
				}
			}
			if got := back.String(); got != strings.TrimLeft(data, "\r\n") && got != data {
				t.Errorf("got %q, want %q", got, data)
			}
		})
	}
}

func TestEditsComeBackOut(t *testing.T) {
	d := read(t, history(t)).Conversations()[0].Doc
	asked, answered := "Why?\nTell me.", "Because of the tail."
	d.Messages[1].Content.Text, d.Messages[2].Content.Text = &asked, &answered
	back, err := aider.New().Restore(nil, d)
	if err != nil {
		t.Fatal(err)
	}
	if got := string(back); !strings.Contains(got, `#### Why?  \n#### Tell me.  \n\nBecause of the tail.\n\n> Tokens`) {
		t.Errorf("the edits are not in %s", got)
	}
}

func TestARunKeepsItsNameWhenItGoesOn(t *testing.T) {
	whole := string(history(t).Data)
	ids := map[string]bool{}
	for _, until := range []string{"Its tail", "> Tokens: 2.1k", "#### /exit", "# aider chat started at 2025-05-02"} {
		d := read(t, importertest.File{Name: "h.md", Data: []byte(whole[:strings.Index(whole, until)])}).Conversations()[0].Doc
		ids[d.ID] = true
	}
	if len(ids) != 1 || !ids["151b2b66-94f5-5c20-a278-dd9647e0d4bc"] {
		t.Errorf("ids %v", ids)
	}
}

func TestARunOverTheLimitIsQuarantinedAlone(t *testing.T) {
	r := importertest.Read(t, aider.New(), importer.Limits{MaxConversation: 400}, history(t))
	bad := r.Quarantined()
	if len(bad) != 1 || bad[0].Code != "too_big" || bad[0].Offset != 1 || len(r.Conversations()) != 1 {
		t.Errorf("quarantined %+v, %d conversations", bad, len(r.Conversations()))
	}
}

func TestOtherTextsAreNotClaimed(t *testing.T) {
	for name, data := range map[string]string{
		"prose":              "I use aider.\nThe aider chat started at noon.\n",
		"a heading":          "# aider chat\n\n#### started\n",
		"JSON that cites it": `{"text":"\n# aider chat started at 2025-05-01 12:00:00"}`,
	} {
		if r := importertest.Read(t, aider.New(), importer.Limits{}, importertest.File{Name: "a.md", Data: []byte(data)}); len(r.Claim.Members) != 0 {
			t.Errorf("%s is claimed", name)
		}
	}
}

func TestADamagedFileOfTheProgramsOwnNameIsQuarantined(t *testing.T) {
	format.Unreadable(t, "kites/.aider.chat.history.md", "notes.md")
}

func TestOddValues(t *testing.T) {
	format.Mutate(t, read(t, history(t)), 100)
}

func FuzzRun(f *testing.F) {
	data, err := os.ReadFile("testdata/history.md")
	if err != nil {
		f.Fatal(err)
	}
	text, err := json.Marshal(string(data))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`"#### a  \n> b  \nc"`))
	f.Add([]byte(`{}`))
	f.Fuzz(func(t *testing.T, raw []byte) { format.Fuzz(t, importer.Unit{Role: "history"}, raw) })
}

// A run is one text; how many messages it becomes counts for the memory that it takes.
func TestARunTellsHowManyMessagesItBecomes(t *testing.T) {
	const run = "\n# aider chat started at 2025-05-01 12:00:00\n\n> Aider v1  \n> Model x  \n\n#### one  \n#### and more  \n\nAn answer.\n\nIts end.\n\n#### two  \n\n"
	m := archive.NewMember("x.md", int64(len(run)), 0, func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(run)), nil })
	claim := importer.Claim{Members: []importer.ClaimedMember{{Member: m, Role: "history"}}}
	for u, err := range aider.New().Split(t.Context(), claim, importer.Limits{}) {
		if err != nil || u.Parts != 4 && len(u.Raw) > 10 {
			t.Errorf("%d parts, %v, %v", u.Parts, u.Err, err)
		}
	}
}
