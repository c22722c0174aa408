package sarif

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/validate"
)

func TestFindingsHaveRulesAndPlaces(t *testing.T) {
	results := []Result{
		{Path: "my bundle", Bundle: true, Findings: []validate.Finding{
			{ID: "id-unique", Severity: validate.Error, File: "conversations/c 1.json", Pointer: "/messages/1/id", Offset: 20, Message: "twice"},
			{ID: "integrity-absent", Severity: validate.Info, File: "memory-store.json", Offset: -1, Message: "none"},
		}, Suppressed: map[string]int64{"id-unique": 3}},
		{Path: "/tmp/none.json", Problem: "open: no such file"},
	}
	log := New(results, false)
	text, err := json.Marshal(log)
	if err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	for _, f := range run.Results {
		if run.Tool.Driver.Rules[f.RuleIndex].ID != f.RuleID {
			t.Errorf("%s has the rule of %s", f.RuleID, run.Tool.Driver.Rules[f.RuleIndex].ID)
		}
	}
	for _, want := range []string{
		`"uri":"my%20bundle/conversations/c%201.json"},"region":{"byteOffset":20,"byteLength":0}}`, `"fullyQualifiedName":"/messages/1/id"`, `"level":"error"`,
		`"level":"note"`, `"executionSuccessful":false`, `"uri":"file:///tmp/none.json"`, `open: no such file`, `too often to be listed`, `"version":"2.1.0"`,
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%s is not in %s", want, text)
		}
	}
	if n := len(run.Tool.Driver.Rules); n != len(validate.Catalog()) {
		t.Errorf("%d rules", n)
	}
}

func TestNothingFoundIsAnEmptyList(t *testing.T) {
	text, err := json.Marshal(New([]Result{{Path: "b"}}, true))
	if err != nil || !strings.Contains(string(text), `"results":[]`) || !strings.Contains(string(text), `"executionSuccessful":true`) {
		t.Errorf("%s, %v", text, err)
	}
}
