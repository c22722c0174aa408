package pam_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/pam"
)

func read(t *testing.T, files ...importertest.File) *importertest.Result {
	t.Helper()
	return importertest.Read(t, pam.New(), importer.Limits{}, files...)
}

func file(name, text string) importertest.File {
	return importertest.File{Name: name, Data: []byte(text)}
}

// store is a store with these members beside the ones that each has.
func store(members string) importertest.File {
	return file("memory-store.json", `{"schema":"portable-ai-memory","schema_version":"1.0","owner":{"id":"o"},`+members+`}`)
}

const memory = `{"id":"m1","type":"fact","content":"Keeps bees","content_hash":"sha256:","temporal":{"created_at":"2026-01-01T02:00:00+02:00"},"provenance":{"platform":"claude"}`

// element is the record of the only element.
func element(t *testing.T, r *importertest.Result) map[string]any {
	t.Helper()
	if bad := r.Quarantined(); len(bad) > 0 {
		t.Fatal(bad[0])
	}
	all := r.Records()
	if len(all) != 1 {
		t.Fatalf("%d records", len(all))
	}
	var o map[string]any
	if err := json.Unmarshal(all[0].Raw, &o); err != nil {
		t.Fatal(err)
	}
	return o
}

func TestWhatPAMLeavesOpenIsWrittenInOneWay(t *testing.T) {
	o := element(t, read(t, store(`"memories":[`+memory+`,"custom_type":null,"access":{"visibility":"shared"},"metadata":{"a":null}}]`)))
	got, err := json.Marshal(o)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"access":{"exportable":true,"shared_with":[],"visibility":"shared"},"content":"Keeps bees",` +
		`"content_hash":"sha256:bd30b9fdfecb58f2eaa2e7e5b3d3aea7e9a52b5a1f9ed0a9b0b7e5d3d1d7f0f1","id":"m1","metadata":{"a":null},` +
		`"provenance":{"platform":"claude"},"status":"active","tags":[],"temporal":{"created_at":"2026-01-01T00:00:00Z"},"type":"fact"}`
	hash, _ := o["content_hash"].(string)
	want = strings.Replace(want, "sha256:bd30b9fdfecb58f2eaa2e7e5b3d3aea7e9a52b5a1f9ed0a9b0b7e5d3d1d7f0f1", hash, 1)
	if string(got) != want || len(hash) != len("sha256:")+64 {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatPAMDoesNotKnowIsKept(t *testing.T) {
	for members, want := range map[string]string{
		`"mood":"calm"`:                                      `{"/mood":"calm"}`,
		`"confidence":{"initial":7}`:                         `{"/confidence/initial":7}`,
		`"tags":["Not a tag"]`:                               `{"/tags":["Not a tag"]}`,
		`"metadata":{"unknown_members":{"/old":1}},"mood":2`: `{"/mood":2,"/old":1}`,
		`"x":12345678901234567890`:                           `{"/x":"12345678901234567890"}`,
	} {
		o := element(t, read(t, store(`"memories":[`+memory+`,`+members+`}]`)))
		meta, _ := o["metadata"].(map[string]any)
		got, err := json.Marshal(meta["unknown_members"])
		if err != nil || string(got) != want {
			t.Errorf("%s: kept %s, want %s (%v)", members, got, want, err)
		}
	}
}

func TestAnElementThatCannotBeAMemorySpoilsOnlyItself(t *testing.T) {
	r := read(t, store(`"memories":[{"id":"a"},7,`+memory+`},`+strings.Replace(memory, `"type":"fact",`, "", 1)+`}]`))
	if bad, good := r.Quarantined(), r.Records(); len(bad) != 3 || len(good) != 1 {
		t.Errorf("%d quarantined, %d records", len(bad), len(good))
	}
}

func TestPointersAndTimesOfElements(t *testing.T) {
	r := read(t, store(`"export_id":"x1","export_date":"2026-05-01T00:00:00Z","memories":[`+memory+`}],"relations":[{"id":"r1","from":"m1","to":"m1","type":"extends","created_at":"2026-02-01T00:00:00Z"}]`))
	var got []string
	for _, rec := range r.Records() {
		got = append(got, rec.Kind+" "+rec.Pointer+" "+rec.CreatedAt+" "+rec.ID+" "+rec.UpdatedAt)
	}
	want := []string{
		"pam-memory /memories/0 2026-01-01T00:00:00Z x1 2026-05-01T00:00:00Z",
		"pam-relation /relations/0 2026-02-01T00:00:00Z x1 2026-05-01T00:00:00Z",
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%q", got)
	}
}

const conversation = `{"schema":"portable-ai-memory-conversation","schema_version":"1.0","id":"c1","provider":{"name":"grok"},"temporal":{"created_at":"2026-01-01T00:00:00Z"},"messages":[` +
	`{"id":"a","role":"user","content":{"type":"text","text":"hi"},"created_at":"2026-01-01T00:00:00Z"}`

func TestADocumentOfOursStaysWhatItIs(t *testing.T) {
	text := conversation + `],"import_metadata":{"importer":"x/1.2.3","source_file":"s.json"}}`
	got := read(t, file("conversations/c1.json", text)).Conversations()
	if len(got) != 1 {
		t.Fatalf("%d conversations", len(got))
	}
	doc := *got[0].Doc
	doc.Import = got[0].Import
	if out := doc.AppendJSON(nil); !bytes.Equal(out, []byte(text)) {
		t.Errorf("%s", out)
	}
	if got[0].Settled {
		t.Error("there is no store that has its memories")
	}
}

func TestADocumentOfAnotherProgramFits(t *testing.T) {
	text := `{"warmth": 3, ` + conversation[1:] + `,{"id":"b","role":"assistant","content":null,"created_at":"2026-01-01T01:00:00+00:00","parent_id":"a","children_ids":[],"feeling":[1.50]}]}`
	r := read(t, file("conversations/c1.json", text), store(`"memories":[]`))
	got := r.Conversations()
	if len(got) != 1 {
		t.Fatal(r.Quarantined())
	}
	doc := got[0].Doc
	if string(doc.RawMetadata) != `{"unknown_members":{"/warmth":3}}` || string(doc.Messages[1].RawMetadata) != `{"unknown_members":{"/feeling":[1.50]}}` {
		t.Errorf("%s %s", doc.RawMetadata, doc.Messages[1].RawMetadata)
	}
	if doc.Messages[1].CreatedAt != "2026-01-01T01:00:00Z" || len(doc.Messages[0].ChildrenIDs) != 1 || !got[0].Settled {
		t.Errorf("%+v", doc.Messages)
	}
}

func TestFilesOfABundleAreFound(t *testing.T) {
	text := strings.Replace(conversation, `"text":"hi"},"created_at":"2026-01-01T00:00:00Z"}`, `"text":"hi"},"created_at":"2026-01-01T00:00:00Z","attachments":[{"type":"file","ref":"attachments/n.txt"},{"type":"file","ref":"https://example.org/x"}]}`, 1) + `]}`
	r := read(t, file("b/conversations/c1.json", text), file("b/attachments/n.txt", "note"), file("b/readme.txt", "x"))
	all := r.Conversations()[0].Doc.Messages[0].Attachments
	if i, ok := importer.ParseMemberRef(all[0].Ref); !ok || i != 1 || all[1].Ref != "https://example.org/x" || len(r.Claim.Members) != 2 {
		t.Errorf("%+v, %d members", all, len(r.Claim.Members))
	}
}

func TestADeltaNamesItsBase(t *testing.T) {
	r := read(t, store(`"export_type":"incremental","export_id":"e2","base_export_id":"e1","memories":[]`))
	if c := r.Claim; len(c.Bases) != 1 || c.Bases[0] != "e1" || len(c.Exports) != 1 || c.Exports[0] != "e2" {
		t.Errorf("%+v", c)
	}
}

// A store that must not be read is refused with all that lies in its bundle, and with nothing else.
func TestARefusedStoreTakesItsBundleAlong(t *testing.T) {
	bad := store(`"export_type":"incremental","memories":[]`) // it names no base
	bad.Name = "bad/memory-store.json"
	good := store(`"export_id":"e1","memories":[]`)
	good.Name = "good/memory-store.json"
	own := conversation + `]}`
	r := read(t, bad, file("bad/conversations/c1.json", own), file("bad/assets/x.bin", "x"), good, file("good/conversations/c1.json", own), file("good/assets/x.bin", "x"))
	var refused []string
	for _, one := range r.Claim.Refused {
		refused = append(refused, one.Member.Name)
	}
	if want := []string{"bad/memory-store.json", "bad/conversations/c1.json", "bad/assets/x.bin"}; !slices.Equal(refused, want) || r.Claim.Refused[0].Hint == "" {
		t.Errorf("%q", refused)
	}
	if len(r.Conversations()) != 1 || len(r.Claim.Members) != 6 {
		t.Errorf("%d conversations, %d members", len(r.Conversations()), len(r.Claim.Members))
	}
	good.Name, bad.Name = "one.json", "two.json" // what lies beside both belongs to the other one, too
	if r := read(t, good, bad, file("conversations/c1.json", own)); len(r.Conversations()) != 1 || len(r.Claim.Refused) != 1 {
		t.Errorf("%d conversations, %+v", len(r.Conversations()), r.Claim.Refused)
	}
}

func TestOtherDocumentsAreNotClaimed(t *testing.T) {
	r := read(t, file("a.json", `{"schema":"other","memories":[]}`), file("b.json", `[{"schema":"portable-ai-memory"}]`), file("c.json", `{"messages":[{"role":"user"}]}`))
	if len(r.Claim.Members) != 0 {
		t.Errorf("%+v", r.Claim.Members)
	}
}

func TestExamplesOfTheSpecificationAreRead(t *testing.T) {
	files := importertest.Load(t, importertest.Shared(t, "vectors", "pam-examples"))
	r := read(t, files...)
	if len(r.Quarantined()) != 0 || len(r.Conversations()) != 1 || len(r.Records()) != 16 {
		t.Errorf("%v, %d conversations, %d records", r.Quarantined(), len(r.Conversations()), len(r.Records()))
	}
}
