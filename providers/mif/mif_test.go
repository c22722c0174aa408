package mif_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/importertest"
	"github.com/pamline/pamline/providers/mif"
)

const yaml = "mif_version: \"1.0\"\nexport:\n  id: exp_a1\n  created_at: \"2026-01-02T00:00:00Z\"\n  user_id: ana\nmemories:\n  - id: mem_aa\n    content: Ana likes tea.\n    type: Pattern\n    created_at: \"2026-01-01T00:00:00Z\"\n"

const second = `{"mif_version":"2.0","export_meta":{"id":"e","created_at":"2026-01-02T00:00:00Z","user_id":"ana"},"memories":[{"id":"5e0e2c1c-0a57-4f63-9f5e-0d3a1f6c0a01","content":"Ana likes tea.","memory_type":"pattern","created_at":"2026-01-01T00:00:00Z","metadata":{}}]}`

const lines = `{"type":"header","mif_version":"1.0","export":{"id":"exp_a1","created_at":"2026-01-02T00:00:00Z","user_id":"ana"}}
{"type":"memory","data":{"id":"mem_aa","content":"Ana likes tea.","type":"Pattern","created_at":"2026-01-01T00:00:00Z"}}
{"type":"footer","checksum":"","counts":{"memories":1}}
`

func TestDocumentsInEachFormAreAdopted(t *testing.T) {
	for name, f := range map[string]importertest.File{
		"JSON": importertest.Fixture(t, "x.json", "document.mif.json"), "YAML": {Name: "x.yaml", Data: []byte(yaml)}, "JSON Lines": {Name: "x.jsonl", Data: []byte(lines)}, "JSON of version 2": {Name: "x", Data: []byte(second)},
	} {
		r := importertest.Read(t, mif.New(), importer.Limits{}, f, importertest.File{Name: "readme.txt", Data: []byte("beside")})
		importertest.Format{Importer: mif.New()}.Check(t, r)
		text := ""
		for _, rec := range r.Records() {
			text += string(rec.Raw) + "\n"
		}
		if !strings.Contains(text, `"content":"Ana likes tea."`) || !strings.Contains(text, `"type":"preference"`) || !strings.Contains(text, `"mif":{`) || len(r.Quarantined()) > 0 || len(r.Claim.Members) != 1 {
			t.Errorf("%s: %v %s", name, r.Quarantined(), text)
		}
		if name == "JSON" && (!strings.Contains(text, `"status":"archived"`) || !strings.Contains(text, `"type":"related_to"`)) {
			t.Errorf("the todo or the relation is missing: %s", text)
		}
		if len(r.Claim.Described) != 1 || !strings.Contains(r.Claim.Described[0], "Memory Interchange Format") {
			t.Errorf("%s: %v", name, r.Claim.Described)
		}
	}
}

func TestDocumentsThatMustNotBeReadAreRefused(t *testing.T) {
	base := string(importertest.Fixture(t, "x", "document.mif.json").Data)
	for name, text := range map[string]string{
		"another version": strings.Replace(base, `"1.0"`, `"3.0"`, 1),
		"invalid":         strings.Replace(base, `"Pattern"`, `7`, 1),
		"encrypted":       `{"mif_version":"1.0","export":{},"memories":[],"encryption":{"algorithm":"aes-256-gcm","encrypted_payload":"AA=="}}`,
		"consent ended":   strings.Replace(base, `"memories"`, `"consent":{"retention_days":30,"timestamp":"2026-01-01T00:00:00Z"},"memories"`, 1),
	} {
		limits := importer.Limits{Scratch: t.TempDir(), Now: time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)}
		members := importertest.Open(t, importertest.Pack(t, importertest.File{Name: "x.json", Data: []byte(text)})).Members
		c, err := mif.New().Claim(t.Context(), members, importertest.Peek, limits)
		if err != nil || len(c.Refused) != 1 || c.Refused[0].Hint == "" || len(c.Members) != 1 || c.Members[0].Role != importer.RoleRefused {
			t.Errorf("%s: %v, %+v", name, err, c)
		}
		for u, err := range mif.New().Split(t.Context(), c, limits) {
			t.Errorf("%s: a unit of it is read: %+v, %v", name, u, err)
		}
	}
}

// Notes may quote the first lines of a document.
func TestNotesThatMentionTheKeyAreForOthers(t *testing.T) {
	r := importertest.Read(t, mif.New(), importer.Limits{}, importertest.File{Name: "notes.md", Data: []byte("Such a document begins with\nmif_version: 1.0\n: and goes on [\n")})
	if len(r.Claim.Members) > 0 || len(r.Claim.Refused) > 0 {
		t.Errorf("%+v", r.Claim)
	}
}

func TestMemoriesThatMustNotBeSharedAreNotExportable(t *testing.T) {
	text := strings.Replace(string(importertest.Fixture(t, "x", "document.mif.json").Data), `"memories"`, `"consent":{"sharing_allowed":false},"memories"`, 1)
	r := importertest.Read(t, mif.New(), importer.Limits{}, importertest.File{Name: "x.json", Data: []byte(text)})
	n := 0
	for _, rec := range r.Records() {
		if rec.Kind == importer.RecordPAMMemory {
			n++
			if !strings.Contains(string(rec.Raw), `"exportable":false`) {
				t.Errorf("%s", rec.Raw)
			}
		}
	}
	if n != 4 {
		t.Errorf("%d memories", n)
	}
}

func FuzzDocument(f *testing.F) {
	f.Add([]byte(yaml))
	f.Add([]byte(lines))
	f.Add([]byte(second))
	f.Fuzz(func(t *testing.T, text []byte) {
		limits := importer.Limits{Scratch: t.TempDir(), MaxConversation: 1 << 20}
		members := importertest.Open(t, importertest.Pack(t, importertest.File{Name: "x", Data: text})).Members
		var refused *importer.RefusedError
		c, err := mif.New().Claim(t.Context(), members, importertest.Peek, limits)
		if err != nil {
			if !errors.As(err, &refused) {
				t.Fatal(err)
			}
			return
		}
		if len(c.Members) == 0 {
			return
		}
		for u, err := range mif.New().Split(t.Context(), c, limits) {
			if err != nil {
				if !errors.As(err, &refused) {
					t.Fatal(err)
				}
				return
			}
			if _, err := mif.New().Decode(u); err != nil {
				var bad *importer.UnitError
				if !errors.As(err, &bad) {
					t.Fatal(err)
				}
			}
		}
	})
}
