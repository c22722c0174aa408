package extract

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
)

func conversationLine(n int) string {
	doc := pamio.Conversation{
		ID:       fmt.Sprintf("00000000-0000-5000-8000-%012d", n),
		Provider: pamio.Provider{Name: "chatgpt"},
		Temporal: pamio.Span{CreatedAt: "2024-01-01T00:00:00Z"},
		Messages: []pamio.Message{{ID: "m", Role: "user", CreatedAt: "2024-01-01T00:00:00Z"}},
	}
	return string(doc.AppendJSON(nil))
}

// spans gives one candidate with a span and one with a pointer and more evidence.
func spans(doc *pamio.Conversation) []normalize.Candidate {
	base := normalize.Candidate{Type: "fact", Content: "Is here", Confidence: 0.5, Platform: "chatgpt", Method: "m", Extractor: "x/1.0.0"}
	span, record := base, base
	span.Evidence = []normalize.Evidence{{Conversation: doc.ID, Message: "m", Start: 0, End: 2, Quote: "I"}}
	record.Tags, record.Decay = []string{"a", "b"}, "none"
	record.Evidence = []normalize.Evidence{
		{Conversation: doc.ID, Message: "m", Pointer: "/a/b", ObservedAt: "2024-01-01T00:00:00Z", AccountID: "u"},
		{Conversation: "other", Message: "n", Pointer: "/c"},
	}
	return []normalize.Candidate{span, record}
}

func TestLinesGiveFlatCandidatesInInputOrder(t *testing.T) {
	in := "\xef\xbb\xbf" + conversationLine(1) + "\r\n\n" + conversationLine(2) // a mark, a blank line, no line feed at the end
	var out bytes.Buffer
	stats, err := RunLines(context.Background(), strings.NewReader(in), &out, []Extractor{echo{name: "x", give: spans}, echo{name: "silent"}}, LineOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for n := 1; n <= 2; n++ {
		id := fmt.Sprintf("00000000-0000-5000-8000-%012d", n)
		want += `{"conversation":"` + id + `","message":"m","start":0,"end":2,"quote":"I","type":"fact","content":"Is here","confidence":0.5,` +
			`"platform":"chatgpt","extraction_method":"m","extractor":"x/1.0.0"}` + "\n" +
			`{"conversation":"` + id + `","message":"m","pointer":"/a/b","type":"fact","content":"Is here","confidence":0.5,"decay_model":"none","tags":["a","b"],` +
			`"observed_at":"2024-01-01T00:00:00Z","platform":"chatgpt","account_id":"u","extraction_method":"m","extractor":"x/1.0.0",` +
			`"evidence":[{"conversation":"other","message":"n","start":0,"end":0,"pointer":"/c"}]}` + "\n"
	}
	if out.String() != want {
		t.Errorf("got\n%s, expected\n%s", out.String(), want)
	}
	if stats.Conversations != 2 || stats.Candidates != 4 || stats.Failed != 0 || stats.Reports[0].Records != 4 || stats.Reports[0].Skipped["odd"] != 2 || stats.Reports[1].Records != 0 {
		t.Errorf("stats are %+v", stats)
	}
}

func TestBadLineIsLocatedAndTheNextIsRead(t *testing.T) {
	good := conversationLine(1)
	long := `{"x":"` + strings.Repeat("y", 200_000) + `"}`
	in := "not json\n" + long + "\n" + good + "\n" + `{"schema":"something-else"}` + "\n" + good + "\n"
	var out bytes.Buffer
	stats, err := RunLines(context.Background(), strings.NewReader(in), &out, []Extractor{echo{name: "x", give: spans}}, LineOptions{MaxLine: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if stats.Conversations != 2 || stats.Candidates != 4 || stats.Failed != 3 {
		t.Errorf("stats are %+v", stats)
	}
	want := []LineError{{Line: 1}, {Line: 2, Offset: 9, Err: ErrLineTooLong}, {Line: 4, Offset: int64(9 + len(long) + 1 + len(good) + 1)}}
	for i, e := range stats.Errors {
		if e.Line != want[i].Line || e.Offset != want[i].Offset || want[i].Err != nil && !errors.Is(e, want[i].Err) || !strings.Contains(e.Error(), fmt.Sprintf("line %d", e.Line)) {
			t.Errorf("error is %v, expected %v", e, want[i])
		}
		if strings.Contains(e.Error(), "something-else") || strings.Contains(e.Error(), "yyy") {
			t.Errorf("the error quotes the line: %v", e)
		}
	}
}

func TestLineOfExactlyTheLimitIsRead(t *testing.T) {
	line := conversationLine(1)
	for limit, want := range map[int]int64{len(line): 1, len(line) - 1: 0} {
		for _, end := range []string{"", "\n"} {
			stats, err := RunLines(context.Background(), strings.NewReader(line+end), io.Discard, nil, LineOptions{MaxLine: limit})
			if err != nil || stats.Conversations != want {
				t.Errorf("limit %d, line of %d: %+v, %v", limit, len(line), stats, err)
			}
		}
	}
}

func TestManyBadLinesAreCountedAndAFewKept(t *testing.T) {
	stats, err := RunLines(context.Background(), strings.NewReader(strings.Repeat("x\n", 1000)), io.Discard, nil, LineOptions{})
	if err != nil || stats.Failed != 1000 || len(stats.Errors) != MaxLineErrors {
		t.Errorf("%d failed, %d kept, %v", stats.Failed, len(stats.Errors), err)
	}
}

type brokenWriter struct{}

var errBroken = errors.New("broken")

func (brokenWriter) Write([]byte) (int, error) { return 0, errBroken }

func TestLinesEndWithTheFaultOfTheirStreams(t *testing.T) {
	line := conversationLine(1) + "\n"
	var out bytes.Buffer
	x := []Extractor{echo{name: "x", give: spans}}
	_, err := RunLines(context.Background(), io.MultiReader(strings.NewReader(line+line[:10]), iotest.ErrReader(errBroken)), &out, x, LineOptions{})
	if !errors.Is(err, errBroken) || !strings.Contains(err.Error(), "line 2") || strings.Count(out.String(), "\n") != 2 {
		t.Errorf("reader: %v after %q", err, out.String())
	}
	if _, err := RunLines(context.Background(), strings.NewReader(line), brokenWriter{}, x, LineOptions{}); !errors.Is(err, errBroken) {
		t.Errorf("writer: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := RunLines(ctx, strings.NewReader(line), io.Discard, x, LineOptions{}); !errors.Is(err, context.Canceled) {
		t.Errorf("context: %v", err)
	}
}

func FuzzLines(f *testing.F) {
	f.Add(conversationLine(1)+"\nx\n\n"+conversationLine(2), 300)
	f.Add("\n\n{}\r\n[]", 2)
	f.Fuzz(func(t *testing.T, in string, limit int) {
		stats, err := RunLines(context.Background(), iotest.HalfReader(strings.NewReader(in)), io.Discard, nil, LineOptions{MaxLine: 1 + limit&0xFFFF})
		if err != nil {
			t.Fatal(err)
		}
		lines := int64(strings.Count(in, "\n") + 1)
		if stats.Conversations+stats.Failed > lines {
			t.Fatalf("%+v of %d lines", stats, lines)
		}
	})
}
