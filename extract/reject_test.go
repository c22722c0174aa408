package extract

import "testing"

func TestRejectsRoundTrip(t *testing.T) {
	for _, r := range []Reject{
		{Reason: "secret", Extractor: "pamline-rules/1.0.0", Rule: "fact.job", Type: "fact", Conversation: "c", Message: "m", Start: 3, End: 9},
		{Reason: "injection", Extractor: "pamline-harvest/1.2.0", Member: "memories.json", Pointer: "/0/\"x\""},
	} {
		line := r.AppendLine(nil)
		got, err := ParseReject(line)
		if err != nil || got != r || line[len(line)-1] != '\n' {
			t.Errorf("%s gave %+v (%v), want %+v", line, got, err, r)
		}
	}
	if r, err := ParseReject([]byte("[]")); err == nil {
		t.Errorf("a list was read as %+v", r)
	}
}
