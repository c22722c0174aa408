package llm

import (
	"errors"
	"strings"
	"testing"
)

func TestAnswersAreReadWhateverStandsAroundThem(t *testing.T) {
	one := `{"type":"fact","content":"Lives in Oslo.","subject":"user","evidence":[{"turn":1,"quote":"q"}],"stability":"durable"}`
	whole := `{"memories":[` + one + `],"injection_suspected":true}`
	for _, c := range []struct {
		text string
		n    int
		err  error
	}{
		{whole, 1, nil},
		{"  \n" + whole + "\n", 1, nil},
		{"Here:\n```json\n" + whole + "\n```\nDone [1].", 1, nil},
		{"<think>{\"memories\":[]}</think>" + whole, 1, nil},
		{"thoughts without a beginning {}</think>" + whole, 1, nil},
		{"<thinking>a</thinking><think>b</think>" + whole, 1, nil},
		{`{"note":"[not it]"} ` + whole, 1, nil},
		{"[" + one + "," + one + "]", 2, nil},
		{`{"memories":[]}`, 0, nil},
		{`{"memories":[null,1,"x",{}]}`, 4, nil},
		{`{"memories":null}`, 0, errNoJSON},
		{`[]`, 0, errNoJSON},
		{`nothing to say`, 0, errNoJSON},
		{``, 0, errNoJSON},
		{`[1] says {"a":1}`, 0, errNoJSON},
		{whole[:60], 0, errCutJSON},
		{"```json\n" + whole[:80], 0, errCutJSON},
		{"<think>let me see", 0, errThoughts},
		{`{"memories":[` + one + `],"memories":[]}`, 0, errAmbiguous},
		{`{"memories":[{"content":"a","content":"b"}]}`, 0, errAmbiguous},
		{`{"memories":["\ud800"]}`, 0, errAmbiguous},
		{strings.Repeat("[", 100_000), 0, errNoJSON},
		{strings.Repeat(" ", maxAnswer) + whole, 0, errNoJSON},
	} {
		a, err := parseAnswer(c.text)
		head := c.text[:min(len(c.text), 80)]
		if !errors.Is(err, c.err) || len(a.memories) != c.n {
			t.Errorf("%q: %d memories, %v; expected %d, %v", head, len(a.memories), err, c.n, c.err)
		}
	}
}

func TestFieldsOfAnotherKindAreReadAsFarAsTheyCanBe(t *testing.T) {
	a, err := parseAnswer(`{"memories":[{"type":"Fact ","content":"x","subject":"User","evidence":[{"turn":"2","quote":7},{"turn":-1},{}],"polarity":null,` +
		`"stability":"one-off","explicit":"yes","event_time":2019,"confidence":"HIGH","value":12,"attribute":"null","sensitive":"none","derived_from":[0,"a",-4]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	m := a.memories[0]
	if m.kind != "fact" || m.subject != "user" || m.stability != "one_off" || m.eventTime != "2019" || m.confidence != "high" || m.value != "12" ||
		m.attribute != "" || m.sensitive != "" || m.explicit || !m.whole || len(m.evidence) != 3 || m.evidence[0] != (quotation{2, ""}) || m.evidence[1].turn != 0 {
		t.Errorf("%+v", m)
	}
}

func FuzzParseAnswer(f *testing.F) {
	f.Add(`{"memories":[{"type":"fact","content":"c","subject":"user","evidence":[{"turn":1,"quote":"q"}],"stability":"durable"}]}`)
	f.Add("```json\n{\"memories\":[]}\n```")
	f.Add("<think>x</think>[{\"content\":\"a\",\"evidence\":[]}]")
	f.Add(`{"memories":[{"type":"fa`)
	f.Add("<think>")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := parseAnswer(text)
		if (err != nil) && (len(a.memories) > 0 || !errors.Is(err, errNoJSON) && !errors.Is(err, errCutJSON) && !errors.Is(err, errAmbiguous) && !errors.Is(err, errThoughts)) {
			t.Fatalf("%d memories, %v", len(a.memories), err)
		}
		// Whatever was said, nothing but the person's own words becomes a candidate.
		x := &Extractor{o: Options{Model: "m"}, version: "pamline-llm-m-00000000/1.0.0"}
		answers := newKept()
		doc := talkOf("c", "I live in Oslo and I like tea. Really, q.", ">q c a")
		for _, c := range x.chunks(doc) {
			value, err := recorded{State: stateOK, Text: text}.marshal()
			if err != nil {
				t.Fatal(err)
			}
			answers.values[x.chunkKey(c.text())] = value
		}
		read(t, x, answers, doc)
	})
}
