package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/pipeline/replay"
	"github.com/pamline/pamline/pipeline/state"
)

func TestTimesOfTheCommandLine(t *testing.T) {
	day := time.Date(2026, 5, 31, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"": {}, "2026-05-31": day, "2026-05-31T14:00:00Z": day.Add(14 * time.Hour), "2026-05-31T14:00:00.5+02:00": day.Add(12*time.Hour + time.Second/2),
	} {
		if got, err := parseMoment("--since", text); err != nil || !got.Equal(want) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"yesterday", "31.05.2026", "2026-05", "2026-05-32", "2026-05-31 14:00", " "} {
		if got, err := parseMoment("--since", text); err == nil {
			t.Errorf("%q: %v", text, got)
		}
	}
}

func FuzzMoment(f *testing.F) {
	for _, seed := range []string{"2026-05-31", "2026-05-31T14:00:00Z", "2026-05-31T14:00:00.123456789-07:30", "", "x"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at, err := parseMoment("--since", text)
		if err != nil || text == "" {
			return
		}
		if again, err := parseMoment("--since", at.Format(time.RFC3339Nano)); err != nil || !again.Equal(at) {
			t.Errorf("%q: %v, then %v (%v)", text, at, again, err)
		}
	})
}

// ender cancels when the first line is written.
type ender struct {
	bytes.Buffer
	end func()
}

func (e *ender) Write(p []byte) (int, error) {
	defer e.end()
	return e.Buffer.Write(p)
}

func TestAnInterruptedReplayGoesOn(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "data")
	for _, name := range []string{"one", "two", "three"} {
		file := filepath.Join(t.TempDir(), name+".json")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(talkNamed, "NAME", name)), 0o600); err != nil {
			t.Fatal(err)
		}
		pamlineRuns(t, 0, "import", "--data", data, "--owner", "me", "--importer", "chatgpt-importer/2026.07", file)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var stderr bytes.Buffer
	a := &app{ctx: ctx, stdin: strings.NewReader(""), stdout: &ender{end: cancel}, stderr: &stderr}
	c := &replayCommand{Data: data, Owner: "me", Limit: 1, format: format{Format: "text"}}
	if code := a.end(c.Run(a)); code != exit.Interrupted && code != exit.Done {
		t.Errorf("exit code %d: %s", code, &stderr)
	} else if code == exit.Interrupted && !strings.Contains(stderr.String(), "run the same command again to resume") {
		t.Errorf("%s", &stderr)
	}
	says(t, pamlineRuns(t, 0, "replay", "--data", data, "--owner", "me"), `^3 imports selected: [1-3] unchanged, [0-2] replaced, 0 read with the same result$`)
	says(t, pamlineRuns(t, 0, "replay", "--data", data, "--owner", "me"), `^3 imports selected: 3 unchanged`)
}

const talkNamed = `[{"conversation_id":"NAME","title":"NAME","create_time":1700000000,"update_time":1700000100,"mapping":{"a":{"id":"a","message":{"id":"a","author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["Name a tree."]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"}]`

func TestADiffIsReadableAndHarmless(t *testing.T) {
	was, n := "Old", int64(3)
	d := replay.StoreDiff{
		Conversations: replay.ConversationDiff{
			Added: replay.Changes[replay.ConversationLine]{Count: 9, First: []replay.ConversationLine{{ID: "c-1", Title: "Bread\x1b[2J", Date: "2026-05-31T10:00:00Z", Platform: "chatgpt", Messages: 1}}},
			Changed: replay.Changes[replay.ConversationLine]{Count: 1, First: []replay.ConversationLine{
				{ID: "c-2", Title: "New", TitleBefore: &was, Before: &n, Date: "2026", Platform: "claude", Messages: 4},
			}},
			Gone:    replay.Changes[replay.ConversationLine]{Count: 1, First: []replay.ConversationLine{{ID: "c-3", Date: "2026-01-01", Platform: "x"}}},
			Renamed: 2,
		},
		Memories: replay.MemoryDiff{
			Added: replay.Changes[replay.MemoryLine]{Count: 2, First: []replay.MemoryLine{
				{ID: "m-1", Type: "fact", Content: "Has a cat.", To: "active"}, {ID: "m-2", Type: "fact", Content: "Owns a cat.", To: "archived", Reason: "duplicate", By: "m-1"},
			}},
			Superseded: replay.Changes[replay.MemoryLine]{Count: 1, First: []replay.MemoryLine{
				{ID: "m-3", Type: "identity", Content: "Lives in Berlin.", From: "active", To: "superseded", Reason: "newer-value", By: "m-4"},
			}},
		},
	}
	var out bytes.Buffer
	p := &printer{w: &out}
	writeDiff(p, d)
	want := `  conversations 9 added, 1 changed, 1 gone, 2 unchanged except for the importer's version
    + 2026-05-31 "Bread\x1b[2J", 1 message, chatgpt, c-1
      and 8 more; a higher --limit lists them
    ~ 2026 "New" (was "Old"), 3 → 4 messages, claude, c-2
    - 2026-01-01 (no title), 0 messages, x, c-3
  memories     2 added, 1 superseded
    + fact: "Has a cat.", m-1
    + fact: "Owns a cat." (archived), duplicate, by m-1, m-2
    superseded identity: "Lives in Berlin." (was active), newer-value, by m-4, m-3
`
	if out.String() != want || p.err != nil {
		t.Errorf("got\n%swant\n%s%v", &out, want, p.err)
	}
}

func TestTheVerdictOfAReplay(t *testing.T) {
	for name, test := range map[string]struct {
		results []string
		want    int
	}{
		"all as before":   {[]string{replay.Unchanged, state.StateDone}, exit.Done},
		"handed over":     {[]string{replay.Queued}, exit.Done},
		"with losses":     {[]string{state.StateLosses}, exit.Partial},
		"one gone":        {[]string{state.StateDone, replay.Gone}, exit.Partial},
		"one damaged":     {[]string{replay.Unchanged, replay.Trouble}, exit.Partial},
		"nothing done":    {[]string{state.StateRefused, replay.Trouble, state.StateFailed}, exit.Failed},
		"refused, others": {[]string{state.StateRefused, state.StateDone}, exit.Partial},
	} {
		r := newReplayReport(&bytes.Buffer{}, false, false)
		for _, result := range test.results {
			if err := r.add(outcome{Outcome: replay.Outcome{Result: result}}); err != nil {
				t.Fatal(err)
			}
		}
		if got := exit.Code(r.verdict()); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestADryReplayReckonsWhatAModelWouldTakeAndTheReplayAsksIt(t *testing.T) {
	m, folder := newModel(t), t.TempDir()
	export, data := filepath.Join(folder, "conversations.json"), filepath.Join(folder, "data")
	if err := os.WriteFile(export, []byte(talk("I keep hens and sometimes I keep bees, as a hobby.")), 0o600); err != nil {
		t.Fatal(err)
	}
	pamlineRuns(t, 0, "import", "--data", data, "--owner", "me", "--extractors", "harvest", export)
	args := []string{"replay", "--data", data, "--owner", "me", "--extractors", "harvest,llm", "--set", "llm.model=m", "--set", "llm.url=" + m.URL + "/v1"}
	out := pamlineRuns(t, 0, append(args, "--dry-run")...)
	says(t, out, `model +would take 1 request, [1-9]`)
	says(t, out, `memories that only it finds`)
	if n := m.requests(); n != 0 {
		t.Errorf("the dry run asked %d times", n)
	}
	out = pamlineRuns(t, 0, args...)
	says(t, out, `memories: 2 added$`)
	says(t, out, `model +1 request`)
	asked := m.requests()
	says(t, pamlineRuns(t, 0, args...), `: unchanged$`)
	if n := m.requests(); n != asked {
		t.Errorf("asked %d times more", n-asked)
	}
}
