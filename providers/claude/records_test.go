package claude_test

import (
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
)

// Case 35 of the reference SDK's failures: ids of memories were drawn anew in each run, and ids of
// projects were the first eight digits of theirs, which those made in the same minute share.
func TestRecordsKeepTheirWholeIds(t *testing.T) {
	a, b := "0197b0fe-90c6-7000-8000-000000000001", "0197b0fe-90c6-7000-8000-000000000002"
	files := text("projects.json", `[{"uuid":"`+a+`","name":"one","docs":[]},{"uuid":"`+b+`","name":"two","docs":[]}]`)
	for range 2 {
		r := read(t, files)
		if len(r.Records()) != 2 || r.Records()[0].ID != a || r.Records()[1].ID != b {
			t.Errorf("got %+v", r.Records())
		}
	}
}

func TestEveryFormOfMemories(t *testing.T) {
	for name, c := range map[string]struct {
		data string
		want []string
	}{
		"everything":           {`[{"conversations_memory":"A","project_memories":{"p/1":"B"},"memory_files":[{"path":"f.md","content":"C"},"D"],"account_uuid":"u"}]`, []string{"/0/conversations_memory u  A", "/0/project_memories/p~11 u p/1 B", "/0/memory_files/0 u f.md C", "/0/memory_files/1 u  D"}},
		"an object":            {`{"conversations_memory":"A","account_uuid":"u"}`, []string{"/conversations_memory u  A"}},
		"projects in a list":   {`{"project_memories":[{"project_uuid":"p","memory":"B"},{"project_uuid":"q","content":"C"}]}`, []string{"/project_memories/0  p B", "/project_memories/1  q C"}},
		"entries of projects":  {`{"project_memories":{"p":{"memory":"B","updated_at":"2026-01-02T03:04:05Z"}}}`, []string{"/project_memories/p  p B"}},
		"nothing in it":        {`[{"conversations_memory":"","account_uuid":"u"}]`, []string{"/0 u  "}},
		"nulls":                {`[{"conversations_memory":null,"project_memories":null,"memory_files":null}]`, []string{"/0   "}},
		"several accounts":     {`[{"conversations_memory":"A","account_uuid":"u"},{"conversations_memory":"B","account_uuid":"v"}]`, []string{"/0/conversations_memory u  A", "/1/conversations_memory v  B"}},
		"entries with a text":  {`[{"uuid":"1","memory":"A"},{"uuid":"2","memory":"B"}]`, []string{"/0  1 A", "/1  2 B"}},
		"forms nobody has met": {`[{"conversations_memory":{"a":1},"project_memories":"x","memory_files":{"y":[2]}}]`, []string{"/0   "}},
	} {
		t.Run(name, func(t *testing.T) {
			r := read(t, text("memories.json", c.data))
			format.Check(t, r)
			var got []string
			for _, rec := range r.Records() {
				got = append(got, rec.Pointer+" "+rec.AccountID+" "+rec.ID+" "+rec.Text)
				if (rec.Text != "") != (rec.Kind == importer.RecordMemory) {
					t.Errorf("a %s record has the text %q", rec.Kind, rec.Text)
				}
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestInstructionsAndDocumentsStayInTheProject(t *testing.T) {
	r := read(t, text("p.json", `{"uuid":"p","name":"Bakery","description":"","prompt_template":"Answer in Portuguese.","docs":[{"uuid":"d","filename":"a.md","content":"words"}]}`))
	format.Check(t, r)
	if len(r.Records()) != 1 {
		t.Fatalf("%d records", len(r.Records()))
	}
	rec := r.Records()[0]
	if rec.Kind != importer.RecordProject || rec.Text != "" || rec.Pointer != "" || !strings.Contains(string(rec.Raw), "Answer in Portuguese.") || !strings.Contains(string(rec.Raw), `"content":"words"`) {
		t.Errorf("got %+v", rec)
	}
}
