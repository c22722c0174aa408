package validate

import "strings"

const noted = "signature-not-verified"

var signatureMutations = map[string][]mutation{
	"signature-requires": {
		{name: "no export_id", change: signed(del(storeFile, "/export_id")), want: []string{noted, "signature-requires"}},
		{name: "null export_id", change: signed(set(storeFile, "/export_id", nil)), want: []string{noted, "signature-requires"}},
		{name: "empty export_id", change: signed(set(storeFile, "/export_id", "")), want: []string{noted, "signature-requires"}},
		{name: "no export_date", change: signed(del(storeFile, "/export_date")), want: []string{noted, "signature-requires"}},
		{name: "no integrity", change: signed(del(storeFile, "/integrity")), want: []string{noted, "signature-requires", "integrity-absent"}},
	},
	"signature-encoding": {
		{name: "alphabet", change: signed(set(storeFile, "/signature/value", strings.Repeat("A", 85)+"+")), want: []string{noted, "signature-encoding"}},
		{name: "no bytes encode to it", change: signed(set(storeFile, "/signature/value", strings.Repeat("A", 69))), want: []string{noted, "signature-encoding"}},
		{name: "short", change: signed(set(storeFile, "/signature/value", "abc")), want: []string{noted, "signature-encoding"}},
		{name: "other algorithm", change: signed(set(storeFile, "/signature/algorithm", "ES384")), want: []string{noted, "signature-encoding"}},
	},
	"signature-jws": {
		{name: "dots", change: signed(set(storeFile, "/signature/value", "eyJhbGciOiJFZERTQSJ9..AAAA")), want: []string{noted, "signature-jws"}},
	},
	"signature-padded": {
		{name: "padded", change: signed(set(storeFile, "/signature/value", strings.Repeat("A", 86)+"==")), want: []string{noted, "signature-padded"}},
	},
	"signature-time": {
		{name: "before the export", change: signed(set(storeFile, "/signature/signed_at", "2026-01-31T23:59:59Z")), want: []string{noted, "signature-time"}},
	},
	"signature-key-id": {
		{name: "of somebody else", change: signed(set(storeFile, "/signature/key_id", "did:web:example.org.evil#key-1")), want: []string{noted, "signature-key-id"}},
	},
	"signature-not-verified": {{name: "good form", change: signed()}},
}

var deltaMutations = map[string][]mutation{
	"xref-external": {
		{name: "derived", change: delta()},
		{name: "all kinds", change: delta(set(storeFile, "/relations/-", map[string]any{"id": "r", "from": "mem-a", "to": "mem-c", "type": "extends", "created_at": "2026-02-02T00:00:00Z"}),
			set(storeFile, m+"0/provenance/conversation_ref", "conv-2"), set(storeFile, "/conversations_index/0/derived_memories", []any{}),
			set(storeFile, m+"0/temporal/superseded_by", "mem-d"), set(storeFile, m+"0/status", "superseded"),
			set(storeFile, m+"0/embedding_ref", "emb-2"))},
	},
	"incremental-fields": {
		{name: "no since", change: delta(del(storeFile, "/since")), want: []string{"incremental-fields", "xref-external"}},
		{name: "null base", change: delta(set(storeFile, "/base_export_id", nil)), want: []string{"incremental-fields"}, o: withBase()},
	},
	"incremental-since": {{name: "unchanged", change: delta(set(storeFile, m+"0/temporal/updated_at", "2026-02-01T00:00:00Z")), o: withBase()}},
	"incremental-base":  {{name: "other", change: delta(set(storeFile, "/base_export_id", "other")), o: withBase()}},
	"incremental-older": {
		{name: "older", change: delta(del(storeFile, m+"0/temporal/updated_at"), set(storeFile, m+"0/temporal/created_at", "2026-01-01T00:00:00Z"), del(storeFile, "/since")), want: []string{"incremental-fields", "incremental-older"}, o: withBase()},
	},
	"lifecycle-transition": {{name: "archived again active", change: delta(), o: Options{Base: archivedBase()}}},
}

// archivedBase is the bundle with mem-a in the archive.
func archivedBase() *Target {
	f := newFixture(silentT{})
	f.set(storeFile, m+"0/status", "archived")
	t := f.bundle()
	return &t
}
