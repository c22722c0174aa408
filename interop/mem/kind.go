package mem

import (
	"slices"
	"strings"
)

// Paths of a bundle that are not item streams.
const (
	ManifestFile   = "manifest.json"
	SignatureFile  = "manifest.sig"
	ChecksumsFile  = "CHECKSUMS"
	TombstonesFile = "audit/tombstones.jsonl"
	LogFile        = "audit/log.jsonl"
	EvidenceFile   = "provenance/edges.jsonl"
)

// Names of the kinds that are no items.
const (
	Tombstone      = "tombstone"
	Audit          = "audit"
	ProvenanceEdge = "provenanceEdge"
)

// form is the JSON type of a field.
type form byte

const (
	text    form = 0
	moment  form = '@'
	number  form = '#'
	integer form = '%'
	truth   form = '?'
	texts   form = ']'
	dict    form = '}'
	reach   form = '>'
)

type field struct {
	name     string
	form     form
	optional bool
}

// parent is a field that names rows of another kind. A row whose parent is erased goes with it.
type parent struct{ field, kind string }

// kind is what is known of a record kind.
type kind struct {
	name    string
	fields  []field
	key     []string
	parents []parent
	// newer is the field by which the newer of two rows with one key is told.
	newer string
	// body are the fields with a person's text, which a redaction empties.
	body []string
}

// kinds are the native kinds in the order in which an importer applies them. In a list of fields, a
// star marks an optional one; @ is a time, # a number, % an integer from 0 on, ? a boolean, ] a
// list of strings, } an object of strings, > the reach of a tombstone, and nothing a string.
var kinds = []kind{
	newKind("context", "id label archived? createdAt@ parentID*", "id", "createdAt", "label"),
	newKind("category", "name description", "name", "", "description"),
	newKind("preference", "key value", "key", "", "value"),
	newKind("core", "id content charBudget% version%", "id", "version", "content"),
	newKind("entity", "id type canonicalName aliases] summary sensitivity updatedAt@", "id", "updatedAt", "canonicalName aliases summary"),
	newKind("episode", "id eventTime@ mentionTime@ ingestionTime@ sourceType actors] summary details sensitivity metadata} categories] importance# confidence# lifecycleState extractionState accessCount% pinned? vaultRefs] sourceID* deletedAt@* contextID* lastAccessed@* expirationDate@* speaker*", "id", "mentionTime", "summary details actors metadata categories speaker sourceID"),
	newKind("resource", "id uri mimeType contentHash title summary created@ modified@", "id", "modified", "uri title summary contentHash"),
	newKind("chunk", "id resourceID position% text sensitivity contextPrefix*", "id", "", "text contextPrefix", "resourceID resource"),
	newKind("edge", "id srcEntityID dstEntityID edgeType tValidFrom@ ingestionTime@ confidence# evidenceEpisodeIDs] tValidTo@* supersededBy*", "id", "ingestionTime", "edgeType", "srcEntityID entity", "dstEntityID entity"),
	newKind("fact", "id episodeID subject predicate object text tValidFrom@ confidence# importance# createdAt@ eventTime@* tValidTo@* supersededBy* speaker* reconciledAt@* lastReinforcedAt@* prunedAt@*", "id", "createdAt", "subject predicate object text speaker", "episodeID episode"),
	newKind("factLink", "srcFactID dstFactID linkType createdAt@", "srcFactID dstFactID linkType", "createdAt", "", "srcFactID fact", "dstFactID fact"),
	newKind("episodeLink", "srcEpisodeID dstEpisodeID linkType weight#", "srcEpisodeID dstEpisodeID linkType", "", "", "srcEpisodeID episode", "dstEpisodeID episode"),
	newKind("procedure", "id name triggerPattern steps] successCount% failureCount% enabled? lastUsed@*", "id", "lastUsed", "name triggerPattern steps"),
	newKind("community", "id label summary memberEntityIDs]", "id", "", "label summary"),
	newKind("secretRef", "id label sensitivity category preview encryptionMetadata createdAt@ lastAccessed@*", "id", "createdAt", "label preview encryptionMetadata"),
}

// audits are the kinds outside of items/.
var audits = map[string]kind{
	TombstonesFile: newKind(Tombstone, "id op targetKind targetID deletedAt@ actor reason* signature* derived>", "id", "deletedAt", ""),
	LogFile:        newKind(Audit, "ts@ actor op targetID reason*", "", "ts", ""),
	EvidenceFile:   newKind(ProvenanceEdge, "id srcEntityID dstEntityID edgeType tValidFrom@ ingestionTime@ confidence# evidenceEpisodeIDs] tValidTo@* supersededBy*", "id", "", ""),
}

// dependents are the parents of the foreign kinds in which pamline keeps what a native kind has no
// place for: they go with what they belong to.
var dependents = map[string][]parent{
	"pamEmbedding":       {{"memory_id", "episode"}},
	"pamRelation":        {{"from", "episode"}, {"to", "episode"}},
	"pamConversation":    {{"id", "context"}},
	"pamConversationDoc": {{"id", "context"}},
}

// fileKind is the foreign kind of files, whose rows are known by their paths.
const fileKind = "pamFile"

// reaches are the fields of a tombstone's reach, with the kind whose rows each names.
var reaches = []struct{ field, kind string }{
	{"factIDs", "fact"}, {"edgeIDs", "edge"}, {"entityIDs", "entity"}, {"chunkIDs", "chunk"},
	{"sentenceIDs", "sentence"}, {"embeddingCacheKeys", "embeddingCacheKey"},
}

func newKind(name, fields, key, newer, body string, parents ...string) kind {
	k := kind{name: name, key: strings.Fields(key), newer: newer, body: strings.Fields(body)}
	for f := range strings.FieldsSeq(fields) {
		one := field{name: strings.TrimRight(f, "@#%?]}>*"), optional: strings.HasSuffix(f, "*")}
		if mark := strings.TrimSuffix(f, "*"); mark != one.name {
			one.form = form(mark[len(mark)-1])
		}
		k.fields = append(k.fields, one)
	}
	for _, p := range parents {
		field, of, _ := strings.Cut(p, " ")
		k.parents = append(k.parents, parent{field, of})
	}
	return k
}

// Kinds are the names of the native item kinds in the order in which an importer applies them.
func Kinds() []string {
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.name
	}
	return names
}

// IsNative tells whether a kind of items is one that the format defines.
func IsNative(name string) bool { return nativeKind(name) != nil }

func nativeKind(name string) *kind {
	if i := slices.IndexFunc(kinds, func(k kind) bool { return k.name == name }); i >= 0 {
		return &kinds[i]
	}
	return nil
}

// kindOf is the kind of a stream; known tells whether its records have a form.
func kindOf(path string) (name string, k *kind) {
	if a, ok := audits[path]; ok {
		return a.name, &a
	}
	name = strings.TrimSuffix(strings.TrimPrefix(path, "items/"), ".jsonl")
	return name, nativeKind(name)
}

// PathOf is the path of the stream of a kind.
func PathOf(kind string) string {
	for path, a := range audits {
		if a.name == kind {
			return path
		}
	}
	return "items/" + kind + ".jsonl"
}
