package extract

import (
	"bytes"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/pamline/pamline/normalize"
)

// randomCandidate has each optional field in half of the cases and text that needs escapes.
func randomCandidate(r *rand.Rand) normalize.Candidate {
	texts := []string{"plain", "say \"hi\"\\n", "tab\tline\nnul\x01", "Žluťoučký 🦄", "</script>&\u2028", "0"}
	text := func() string { return texts[r.IntN(len(texts))] }
	maybe := func() string {
		if r.IntN(2) == 0 {
			return ""
		}
		return text()
	}
	c := normalize.Candidate{Type: text(), CustomType: maybe(), Content: text(), Confidence: float64(r.IntN(1001)) / 1000, Decay: maybe(),
		Language: maybe(), Platform: text(), Method: text(), Extractor: text()}
	for range r.IntN(3) {
		c.Tags = append(c.Tags, text())
	}
	c.Act, c.Rule, c.EventTime, c.Sensitive, c.Negative, c.Inferred = maybe(), maybe(), maybe(), maybe(), r.IntN(2) == 0, r.IntN(2) == 0
	if r.IntN(2) == 0 {
		c.Slot = &normalize.Slot{Attribute: text(), Value: maybe(), One: r.IntN(2) == 0, Beside: r.IntN(2) == 0}
	}
	c.ValidFrom, c.ValidUntil, c.Event = maybe(), maybe(), r.IntN(2) == 0
	for range r.IntN(3) {
		c.Ends = append(c.Ends, normalize.Ending{Attribute: maybe(), Value: maybe(), Name: maybe()})
	}
	for range r.IntN(3) {
		c.Entities = append(c.Entities, normalize.Entity{Name: text(), Relation: maybe()})
	}
	for range r.IntN(3) {
		c.DerivedFrom = append(c.DerivedFrom, text())
	}
	for range 1 + r.IntN(3) {
		start := r.IntN(100)
		c.Evidence = append(c.Evidence, normalize.Evidence{Conversation: maybe(), Message: maybe(), Start: start, End: start + r.IntN(100),
			Quote: maybe(), Member: maybe(), Pointer: maybe(), ObservedAt: maybe(), AsOf: r.IntN(2) == 0, AccountID: maybe(), Listing: maybe(), ListedAt: maybe()})
	}
	return c
}

func TestCandidateLinesRoundTripAndAgreeWithTheStandardEncoder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		c := randomCandidate(r)
		line := AppendCandidate([]byte("before\n"), &c)
		line = bytes.TrimPrefix(line, []byte("before\n"))
		if bytes.Count(line, []byte("\n")) != 1 || line[len(line)-1] != '\n' {
			t.Fatalf("not one line: %q", line)
		}
		var std normalize.Candidate
		if err := json.Unmarshal(line, &std); err != nil || !reflect.DeepEqual(std, c) {
			t.Fatalf("the standard decoder reads %+v, %v from %s", std, err, line)
		}
		got, err := ParseCandidate(line)
		if err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("read %+v, %v from %s", got, err, line)
		}
		std2, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := ParseCandidate(std2); err != nil || !reflect.DeepEqual(got, c) {
			t.Fatalf("read %+v, %v from %s", got, err, std2)
		}
	}
}

func TestLinesThatAreNoCandidate(t *testing.T) {
	for _, line := range []string{
		``, `[]`, `{`, `{"type":"fact"}`,
		`{"type":"fact","content":"x","confidence":2,"evidence":[{}]}`,
		`{"type":"fact","content":"x","confidence":"0.5","evidence":[{}]}`,
		`{"type":"","content":"x","confidence":1,"evidence":[{}]}`,
		`{"type":"fact","content":"","confidence":1,"evidence":[{}]}`,
		`{"type":"fact","content":"x","confidence":1,"evidence":[]}`,
		`{"type":"fact","content":"x","confidence":1,"evidence":[{"start":5,"end":4}]}`,
		`{"type":"fact","content":"x","confidence":1,"evidence":[{"start":-1,"end":4}]}`,
		`{"type":"fact","type":"goal","content":"x","confidence":1,"evidence":[{}]}`,
		`{"type":"fact","content":"\ud800","confidence":1,"evidence":[{}]}`,
	} {
		if c, err := ParseCandidate([]byte(line)); !errors.Is(err, ErrCandidate) {
			t.Errorf("%s: read %+v, %v", line, c, err)
		}
	}
	if c, err := ParseCandidate([]byte(`{"later":null,"type":"fact","content":"x","confidence":1,"evidence":[{}]}`)); err != nil || c.Content != "x" {
		t.Errorf("a member of a later version: %+v, %v", c, err)
	}
}

func FuzzParseCandidate(f *testing.F) {
	r := rand.New(rand.NewPCG(2, 2))
	for range 10 {
		c := randomCandidate(r)
		f.Add(AppendCandidate(nil, &c))
	}
	f.Add([]byte(`{"type":"fact","content":"x","confidence":1e-1,"evidence":[{"start":0}]}`))
	f.Fuzz(func(t *testing.T, line []byte) {
		c, err := ParseCandidate(line)
		if err != nil {
			return
		}
		again, err := ParseCandidate(AppendCandidate(nil, &c))
		if err != nil || !reflect.DeepEqual(again, c) {
			t.Fatalf("%+v became %+v, %v", c, again, err)
		}
	})
}
