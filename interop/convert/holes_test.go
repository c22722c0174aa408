package convert_test

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/pamline/pamline/interop/convert"
	"github.com/pamline/pamline/interop/mif"
	"github.com/pamline/pamline/pamio"
)

// holes are what a known program of the format drops, invents or lets pass when it reads or writes,
// each with the test that shows that this package does not. Those of its reader are in interop/mif.
// docs/formats.md has the same table.
var holes = map[string]func(*testing.T){
	"fields of version 1 are dropped":                              testFieldsOfVersion1ComeBack,
	"references and vendor data of version 2 are dropped":          testFieldsOfVersion2ComeBack,
	"what a record says besides is lost when it is edited":         testAnEditLeavesOtherFields,
	"ids are made up, so that links break":                         testIDsAndLinksStay,
	"times that are none become now":                               testRecordsWithoutATimeAreRefused,
	"the second record of an id replaces the first":                testASecondRecordOfAnIDIsRefused,
	"unknown states pass":                                          testAnUnknownStateIsRefused,
	"what came before a record that fails stays written":           testNothingIsWrittenOfADocumentThatFails,
	"vectors of any dimension are taken, all as of one model":      testVectorsKeepTheirModel,
	"graph and vectors are left out unless they are asked for":     testGraphAndVectorsComeAlong,
	"a wrong checksum passes":                                      testAChangedDocumentIsRefused,
	"personal data is looked for in the contents of memories only": testRedactionReachesTags,
}

func TestHolesOfOtherMIFProgramsAreClosed(t *testing.T) {
	t.Parallel()
	for hole, closed := range holes {
		t.Run(hole, closed)
	}
}

// version1 has every field that an example of version 1 has.
const version1 = `{"mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-02T00:00:00Z","user_id":"ana"},"memories":[` +
	`{"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-01T00:00:00Z","importance":0.25,"updated_at":"2026-01-01T12:00:00Z","accessed_at":"2026-01-02T00:00:00Z","access_count":4,"decay_rate":0.1,"tags":["Tea"],"entities":[{"text":"tea","type":"drink","confidence":0.5}],"source":{"type":"file","session_id":"s","agent":"x"},"embedding":{"model":"minilm-l6-v2","dimensions":384,"vector":[0.5,0.25,0.125]},"relations":{"related_memories":["mem_ab"],"related_todos":["todo_aa"]}},` +
	`{"id":"mem_ab","content":"Ana lives in Turku.","type":"Observation","created_at":"2026-01-01T00:00:00Z"}],` +
	`"todos":[{"id":"todo_aa","short_id":"T-1","content":"Buy tea","status":"todo","priority":"high","created_at":"2026-01-01T00:00:00Z","due_date":"2026-02-01","completed_at":null,"project":{"id":"p","name":"home"},"contexts":["shop"],"tags":["t"],"notes":"n","parent_id":"todo_ab","subtask_ids":[],"blocked_on":null,"recurrence":"weekly","related_memory_ids":["mem_aa"],"comments":[{"id":"c","content":"green","type":"note","created_at":"2026-01-01T00:00:00Z"}]},{"id":"todo_ab","content":"Shop","status":"done","created_at":"2026-01-01T00:00:00Z"}],` +
	`"graph":{"format":"adjacency_list","node_count":1,"nodes":[{"id":"mem_aa","type":"memory"}],"edges":[{"source":"mem_aa","target":"mem_ab","weight":0.5,"type":"causal","strengthened_count":2}],"hebbian_config":{"decay_rate":0.1}},` +
	`"metadata":{"total_memories":2,"privacy":{"pii_detected":false}}}`

// version2 is a document as one program writes it.
const version2 = `{"mif_version":"2.0","generator":{"name":"g","version":"1"},"export_meta":{"id":"e","created_at":"2026-01-03T10:45:00Z","user_id":"ana"},"memories":[` +
	`{"id":"a1b2c3d4-e5f6-7890-abcd-ef1234567890","content":"Ana likes tea.","memory_type":"observation","created_at":"2026-01-02T10:00:00Z","tags":["tea"],"entities":[{"name":"tea","entity_type":"drink","confidence":0.5}],"metadata":{"k":"v"},"source":{"source_type":"api"},"parent_id":"b1b2c3d4-e5f6-7890-abcd-ef1234567890","related_memory_ids":["b1b2c3d4-e5f6-7890-abcd-ef1234567890"],"related_todo_ids":[],"agent_id":"agent","external_id":"issue:7","version":3},` +
	`{"id":"b1b2c3d4-e5f6-7890-abcd-ef1234567890","content":"Ana drinks.","memory_type":"decision","created_at":"2026-01-02T09:00:00Z"}],` +
	`"knowledge_graph":{"entities":[{"id":"e1","name":"tea","types":["drink"],"attributes":{"a":1}}],"relationships":[{"id":"r1","source_entity_id":"e1","target_entity_id":"e1","relation_type":"is","confidence":0.5,"invalidated_at":"2026-01-02T10:00:00Z"}],"episodes":[]},` +
	`"projects":[{"id":"p1","name":"Tea house"}],"reminders":[{"id":"r1","content":"water","trigger":{"type":"time","at":"2026-02-01T00:00:00Z"},"priority":3}],` +
	`"vendor_extensions":{"shop":{"memory_metadata":{"a1b2c3d4-e5f6-7890-abcd-ef1234567890":{"importance":0.5,"access_count":7}}}}}`

// comesBack takes a document to a PAM store and back.
func comesBack(t *testing.T, text string) {
	t.Helper()
	pam, _, err := fromMIF(t, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	back, r := toMIF(t, pam, false)
	sameJSON(t, "the document", []byte(text), back)
	if len(r.Edits) > 0 || len(r.Losses) > 0 {
		t.Errorf("%+v", r)
	}
}

func testFieldsOfVersion1ComeBack(t *testing.T) { t.Parallel(); comesBack(t, version1) }
func testFieldsOfVersion2ComeBack(t *testing.T) { t.Parallel(); comesBack(t, version2) }

func testAnEditLeavesOtherFields(t *testing.T) {
	t.Parallel()
	for before, after := range map[string]string{`"content":"Ana likes tea."`: `"content":"Ana likes mate."`, `"status":"active"`: `"status":"archived"`} {
		for _, text := range []string{version1, version2} {
			pam, _, err := fromMIF(t, []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			file := pam["memory-store.json"]
			file.Data = bytes.Replace(file.Data, []byte(before), []byte(after), 1)
			back, r := toMIF(t, pam, false)
			if len(r.Edits) != 1 {
				t.Errorf("%+v", r.Edits)
			}
			for _, kept := range []string{`"entities":[{`, `"source":{`, `"tags":[`} {
				if !bytes.Contains(back, []byte(kept)) {
					t.Errorf("%s is lost: %s", kept, back)
				}
			}
			again, _, err := fromMIF(t, back)
			if err != nil || !bytes.Contains(again["memory-store.json"].Data, []byte(after)) {
				t.Errorf("the edit to %s is gone after another way there and back: %v", after, err)
			}
		}
	}
}

func testIDsAndLinksStay(t *testing.T) {
	t.Parallel()
	const short = "mem_ab" // what follows the prefix is no UUID
	var stores [2]string
	for i := range stores {
		pam, _, err := fromMIF(t, []byte(version1))
		if err != nil {
			t.Fatal(err)
		}
		stores[i] = string(pam["memory-store.json"].Data)
	}
	if stores[0] != stores[1] {
		t.Error("two readings differ")
	}
	if !strings.Contains(stores[0], `"id":"`+short+`"`) || !strings.Contains(stores[0], `"to":"`+short+`"`) {
		t.Errorf("the id or the link is another: %s", stores[0])
	}
}

// refused shows that a document is not converted, and that nothing is written of it.
func refused(t *testing.T, before, after string) {
	t.Helper()
	if !strings.Contains(version1, before) {
		t.Fatalf("%s is not in the document", before)
	}
	d, err := mif.Parse([]byte(strings.Replace(version1, before, after, 1)))
	if err != nil {
		t.Fatal(err)
	}
	out := fstest.MapFS{}
	if _, err := convert.PAMFromMIF(context.Background(), d, today, convert.Options{Scratch: t.TempDir()}, collect(out)); err == nil || len(out) > 0 {
		t.Errorf("%s: %v, %d files were written", after, err, len(out))
	}
}

func testRecordsWithoutATimeAreRefused(t *testing.T) {
	t.Parallel()
	refused(t, `"created_at":"2026-01-01T00:00:00Z","importance"`, `"created_at":"yesterday","importance"`)
	refused(t, `"created_at":"2026-01-01T00:00:00Z","importance"`, `"importance"`)
}

func testASecondRecordOfAnIDIsRefused(t *testing.T) {
	t.Parallel()
	refused(t, `"mem_ab","content"`, `"mem_aa","content"`)
}

func testAnUnknownStateIsRefused(t *testing.T) {
	t.Parallel()
	refused(t, `"status":"todo"`, `"status":"later"`)
}

func testNothingIsWrittenOfADocumentThatFails(t *testing.T) {
	t.Parallel()
	refused(t, `"content":"Shop"`, `"content":7`)
	refused(t, `"weight":0.5`, `"weight":0.5,"weight":1`)
}

func testVectorsKeepTheirModel(t *testing.T) {
	t.Parallel()
	pam, _, err := fromMIF(t, []byte(version1))
	if err != nil {
		t.Fatal(err)
	}
	if pam["embeddings.json"] != nil {
		t.Error("a vector whose length is not its dimension is taken as one of this store")
	}
	out, r := toMIF(t, bundleOf(store), false)
	var d struct {
		Memories []map[string]json.RawMessage `json:"memories"`
	}
	if err := json.Unmarshal(out, &d); err != nil {
		t.Fatal(err)
	}
	if i := slices.IndexFunc(d.Memories, func(m map[string]json.RawMessage) bool { return m["embedding"] != nil }); i >= 0 || r.Losses["embeddings"] > 0 {
		t.Errorf("a vector of a model that the format does not name is one of its own: %s, %+v", out, r.Losses)
	}
}

func testGraphAndVectorsComeAlong(t *testing.T) {
	t.Parallel()
	for text, members := range map[string][]string{version1: {`"graph":{`, `"vector":[`}, version2: {`"knowledge_graph":{`, `"vendor_extensions":{`}} {
		pam, _, err := fromMIF(t, []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		back, _ := toMIF(t, pam, false)
		for _, member := range members {
			if !bytes.Contains(back, []byte(member)) {
				t.Errorf("%s is left out: %s", member, back)
			}
		}
	}
	in := bundleOf(store)
	text, _ := toMIF(t, in, false)
	back, _, err := fromMIF(t, text)
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, "the vectors of a store", in["embeddings.json"].Data, back["embeddings.json"].Data)
}

func testAChangedDocumentIsRefused(t *testing.T) {
	t.Parallel()
	text, _ := toMIF(t, bundleOf(store), false)
	if _, _, err := fromMIF(t, bytes.Replace(text, []byte("Boil water."), []byte("Boil milk."), 1)); err == nil {
		t.Error("a document that was changed under its checksum is converted")
	}
}

func testRedactionReachesTags(t *testing.T) {
	t.Parallel()
	in := bundleOf(strings.Replace(store, `"tags":["tea"]`, `"tags":["ana@example.org","tea"]`, 1))
	b, err := pamio.NewBundle(in)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	_, err = convert.MIFFromPAM(context.Background(), b, convert.Options{Scratch: t.TempDir(), Clean: true, Redact: true}, &out)
	if text := out.String(); err != nil || strings.Contains(text, "ana@") || !strings.Contains(text, `"tea"`) {
		t.Errorf("%v %s", err, text)
	}
}
