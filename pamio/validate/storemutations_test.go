package validate

import "strings"

var storeMutations = map[string][]mutation{
	"schema-required": {
		{name: "memory without platform", change: del(storeFile, m+"0/provenance/platform")},
		{name: "memory without type, and nothing about custom_type", change: del(storeFile, m+"0/type")},
		{name: "memory without id", change: del(storeFile, m+"3/id")},
		{name: "store without owner", change: del(storeFile, "/owner")},
		{name: "message without role", change: del(conv1, "/messages/0/role")},
		{name: "embedding without model", change: del(embFile, "/embeddings/0/model")},
		{name: "store without memories", change: func(f *fixture) Target { f.del(storeFile, "/memories"); return f.file(storeFile) },
			want: []string{"integrity-checksum", "integrity-total", "schema-required", "xref-derived", "xref-relation"}},
	},
	"schema-type": {
		{name: "number as text", change: set(storeFile, "/integrity/total_memories", "4")},
		{name: "number as time", change: set(storeFile, m+"0/temporal/created_at", 1700000000)},
		{name: "memory is a text", change: set(storeFile, m+"3", "hello")},
		{name: "vector of texts", change: set(embFile, "/embeddings/0/vector/1", "x")},
		{name: "memories is an object", change: func(f *fixture) Target {
			f.set(storeFile, "/memories", map[string]any{})
			f.set(storeFile, "/relations", []any{})
			f.set(storeFile, "/conversations_index", []any{})
			f.del(storeFile, "/integrity")
			return f.file(storeFile)
		}, want: []string{"integrity-absent", "schema-type"}},
	},
	"schema-enum": {{name: "type", change: set(storeFile, m+"0/type", "mood")}, {name: "role", change: set(conv1, "/messages/0/role", "human")}},
	"schema-pattern": {
		{name: "tag", change: set(storeFile, m+"0/tags/0", "Work stuff")},
		{name: "platform with newline", change: set(storeFile, m+"2/provenance/platform", "claude\n")},
		{name: "language", change: set(storeFile, m+"0/metadata/language", "en-us")},
	},
	"schema-unknown-field": {{name: "memory", change: set(storeFile, m+"0/mood", "calm")}, {name: "store", change: set(storeFile, "/extra", 1)},
		{name: "conversation with memories", change: set(conv1, "/memories", []any{})}},
	"schema-length": {
		{name: "grant without permissions", change: set(storeFile, m+"0/access/shared_with", []any{map[string]any{"entity": "x", "permissions": []any{}}})},
		{name: "empty content", change: each(set(storeFile, m+"0/content", ""), set(storeFile, m+"0/content_hash", blankHash))}},
	"schema-range": {
		{name: "confidence", change: set(storeFile, m+"0/confidence/current", 1.5)},
		{name: "message_count", change: set(storeFile, "/conversations_index/0/message_count", -1)},
	},
	"schema-unique": {{name: "tags", change: set(storeFile, m+"0/tags", []any{"a", "a"})}},
	"custom-type": {{name: "missing", change: del(storeFile, m+"3/custom_type")}, {name: "null", change: set(storeFile, m+"3/custom_type", nil)},
		{name: "with another type", change: set(storeFile, m+"0/custom_type", "x")}},
	"format-date-time": {
		{name: "word", change: set(storeFile, m+"0/provenance/extracted_at", "yesterday")},
		{name: "date", change: set(storeFile, "/owner/created_at", "2026-01-01")},
		{name: "message", change: set(conv2, "/messages/0/created_at", "2026-13-01T00:00:00Z")}},
	"format-date-offset": {{name: "memory", change: set(storeFile, m+"0/temporal/created_at", "2026-01-02T10:00:00")}},
	"format-uri": {
		{name: "spec_uri", change: set(storeFile, "/spec_uri", "spec.html")},
		{name: "citation", change: set(conv1, "/messages/1/citations/0/url", "/relative")},
	},
	"content-hash": {{name: "content changed", change: set(storeFile, m+"0/content", "Prefers tea over coffee!")},
		{name: "hash of the text as it is", change: set(storeFile, m+"1/content_hash", "sha256:"+strings.Repeat("0", 64))}},
	"content-blank": {{name: "spaces", change: each(set(storeFile, m+"0/content", " \t\u2003"), set(storeFile, m+"0/content_hash", blankHash))}},
	"status-consistency": {
		{name: "by nothing", change: del(storeFile, m+"1/temporal/superseded_by")},
		{name: "status missing", change: del(storeFile, m+"1/status")},
	},
	"temporal-order": {
		{name: "updated before created", change: set(storeFile, m+"0/temporal/updated_at", "2026-01-01T00:00:00Z")},
		{name: "instants, not texts", change: set(storeFile, m+"0/temporal/updated_at", "2026-01-02T11:30:00+02:00")},
		{name: "valid until before from", change: set(storeFile, m+"2/temporal/valid_until", "2025-01-01T00:00:00Z")},
		{name: "index entry", change: each(set(storeFile, "/conversations_index/0/temporal/updated_at", "2025-01-01T00:00:00Z"),
			set(conv1, "/temporal/updated_at", "2025-01-01T00:00:00Z"))},
		{name: "conversation file", change: set(conv2, "/temporal/updated_at", "2025-01-01T00:00:00Z")},
	},
	"temporal-reinforced": {{name: "before created", change: set(storeFile, m+"0/confidence/last_reinforced", "2026-01-01T00:00:00Z")}},
	"not-exportable":      {{name: "false", change: set(storeFile, m+"0/access/exportable", false)}},
	"platform-naming": {{name: "memory", change: set(storeFile, m+"0/provenance/platform", "openai")},
		{name: "index and file", change: each(set(storeFile, "/conversations_index/1/platform", "anthropic"), set(conv2, "/provider/name", "anthropic"))}},
	"owner-unknown":     {{name: "unknown", change: set(storeFile, "/owner/id", "unknown")}},
	"supersession-self": {{name: "self", change: set(storeFile, m+"1/temporal/superseded_by", "mem-b")}},
	"supersession-cycle": {
		{name: "two", change: each(set(storeFile, m+"2/temporal/superseded_by", "mem-b"), set(storeFile, m+"2/status", "superseded"))},
		{name: "three, reached from outside", change: each(set(storeFile, m+"2/temporal/superseded_by", "mem-d"), set(storeFile, m+"2/status", "superseded"),
			set(storeFile, m+"3/temporal/superseded_by", "mem-b"), set(storeFile, m+"3/status", "superseded"),
			set(storeFile, m+"0/temporal/superseded_by", "mem-b"), set(storeFile, m+"0/status", "superseded"))}},
	"check-skipped": {
		{name: "chains", change: each(set(storeFile, m+"0/temporal/superseded_by", "mem-c"), set(storeFile, m+"0/status", "superseded")), o: Options{MaxChains: 1}},
	},
	"id-unique": {
		{name: "memories", change: func(f *fixture) Target { f.set(storeFile, m+"-", f.get(storeFile, "/memories/3")); return f.bundle() }},
		{name: "relations", change: set(storeFile, "/relations/1/id", "rel-1")},
		{name: "index", change: func(f *fixture) Target {
			f.set(storeFile, "/conversations_index/-", map[string]any{"id": "conv-1", "platform": "chatgpt", "temporal": map[string]any{"created_at": "2026-01-02T09:00:00Z"}})
			return f.bundle()
		}},
		{name: "messages", change: set(conv2, "/messages/1/id", "n1")},
		{name: "embeddings", change: each(set(embFile, "/embeddings/1/id", "emb-1"), del(storeFile, m+"1/embedding_ref"))},
	},
	"xref-relation": {
		{name: "from", change: set(storeFile, "/relations/0/from", "mem-x")},
		{name: "to", change: set(storeFile, "/relations/0/to", "mem-x")},
	},
	"relation-self":     {{name: "self", change: set(storeFile, "/relations/0/to", "mem-c")}},
	"xref-superseded":   {{name: "unknown", change: set(storeFile, m+"1/temporal/superseded_by", "mem-x")}},
	"xref-conversation": {{name: "unknown", change: set(storeFile, m+"3/provenance/conversation_ref", "conv-x")}},
	"xref-conversation-no-index": {{name: "no index", change: each(del(storeFile, "/conversations_index"), dropConversations)},
		{name: "empty index", change: each(set(storeFile, "/conversations_index", []any{}), dropConversations)}},
	"xref-derived": {{name: "unknown", change: set(storeFile, "/conversations_index/0/derived_memories/-", "mem-x")}},
	"xref-bidirectional": {{name: "index forgets", change: set(storeFile, "/conversations_index/0/derived_memories", []any{"mem-a"})},
		{name: "memory forgets", change: del(storeFile, m+"2/provenance/conversation_ref")}},
	"integrity-total": {{name: "less", change: set(storeFile, "/integrity/total_memories", 3)}},
	"integrity-checksum": {
		{name: "changed", change: replace(storeFile, `"score": 7`, `"score": 8`)},
		{name: "null is not absence", change: replace(storeFile, `"score": 7`, `"score": 7, "x": null`)},
		{name: "unsorted and changed", change: func(f *fixture) Target { reverse(f); f.replace(storeFile, `"score":7`, `"score":8`); return f.bundle() }}},
	"integrity-uncanonicalizable": {{name: "integer", change: replace(storeFile, `"score": 7`, `"score": 9007199254740993`)},
		{name: "double", change: replace(storeFile, `"score": 7`, `"score": 1e999`)}},
	"integrity-absent": {{name: "absent", change: del(storeFile, "/integrity")}},
}

// dropConversations removes the conversation files.
func dropConversations(f *fixture) Target {
	delete(f.files, conv1)
	delete(f.files, conv2)
	return f.bundle()
}

// reverse turns the order of the memories round.
func reverse(f *fixture) {
	list := f.get(storeFile, "/memories").([]any)
	for i := range list {
		f.set(storeFile, "/memories/"+string(rune('0'+i)), list[len(list)-1-i])
	}
}
