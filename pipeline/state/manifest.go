package state

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/providers"
)

// Manifest is what ingest made of a drop. It is written once, after all objects that it names.
type Manifest struct {
	V          int      `json:"v"`
	Import     string   `json:"import"`
	Owner      string   `json:"owner"`
	Drop       string   `json:"drop"`
	Lane       string   `json:"lane"`
	Importers  []string `json:"importers"`
	Extractors []string `json:"extractors"`
	// Embeddings is what makes the vectors of the memories (Embedder.Identity); "" for none.
	Embeddings string `json:"embeddings,omitempty"`
	// Reading names what decides which importer reads which member: two readings of one name are
	// equal.
	Reading string   `json:"reading,omitempty"`
	Parts   []Part   `json:"parts"`
	Sources []Source `json:"sources"`
	Shards  []Shard  `json:"shards"`
	// AssetLists are the lists of copied files (AssetListKey).
	AssetLists []NamedList `json:"asset_lists,omitempty"`
	Counts     Counts      `json:"counts"`
	Refused    []Refusal   `json:"refused,omitempty"`
	// Unread are the first MaxListed members that no importer reads; Counts.Skips counts all.
	Unread []Refusal `json:"unread,omitempty"`
	Notes  []string  `json:"notes,omitempty"`
	// Described says what the documents are, in the words of their format.
	Described []string `json:"described,omitempty"`
	// Exports are the ids of the PAM exports in the drop, Signatures the verdicts on them.
	Exports    []string              `json:"exports,omitempty"`
	Signatures []providers.Signature `json:"signatures,omitempty"`
}

// Part is one archive of the drop as it was read.
type Part struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Newest is the newest time inside the archive, RFC 3339; it becomes imported_at. "" when it
	// has no times.
	Newest  string `json:"newest,omitempty"`
	Members int    `json:"members"`
	Claimed int    `json:"claimed"`
}

// Source is an archive member that conversations and records were read from.
type Source struct {
	Importer string `json:"importer"` // "chatgpt-importer/2026.07"
	Part     int    `json:"part"`
	File     string `json:"file"`
	Checksum string `json:"checksum,omitempty"` // "sha256:<hex>" of the member's bytes; "" when it was not opened
}

// Shard is the snapshots and records of one pack, which are extracted together. Its id is the
// digest of the pack's number, what the pack holds, and the extractor versions.
type Shard struct {
	ID   string `json:"id"`
	Pack int    `json:"pack"`
	// List is the digest of the list of the pack.
	List      string `json:"list,omitempty"`
	Snapshots int    `json:"snapshots"`
	Records   int    `json:"records,omitempty"`
	// Assets counts the files that stood inside the units of the pack.
	Assets int   `json:"assets,omitempty"`
	Bytes  int64 `json:"bytes"`
}

// IsEmpty tells whether the pack has only skips and quarantined units: there is nothing to extract.
func (s Shard) IsEmpty() bool { return s.Snapshots+s.Records == 0 }

// Refusal is a member or part that no importer read although a person may have expected it.
type Refusal struct {
	Part   string `json:"part"`
	Member string `json:"member,omitempty"`
	Reason string `json:"reason"`
}

// Quarantined is a unit that could not be read; its neighbors were.
type Quarantined struct {
	Archive string `json:"archive"`
	providers.UnitError
}

// ImportID names the processing of one drop by one set of importers and extractors. Limits other
// than the defaults belong to it: a drop that lost units to a low limit is read anew under a higher
// one.
func ImportID(owner, drop string, importers, extractors []string, embeddings string, limits Limits) string {
	s := fmt.Sprintf("pamline-import/1\n%s\n%s\n%s\n%s\n", owner, drop, strings.Join(importers, ","), strings.Join(extractors, ","))
	if embeddings != "" {
		s += "embeddings " + embeddings + "\n"
	}
	if l, d := limits.Units(), (providers.Limits{AnySignature: limits.AnySignature}).WithDefaults(); l != d {
		s += fmt.Sprintf("limits %d %d %d\n", l.MaxConversation, l.MaxDepth, l.MaxSidecar)
	}
	if limits.AnySignature {
		s += "any signature\n"
	}
	if n := limits.AssetLimit(); n != DefaultMaxAsset {
		s += fmt.Sprintf("assets %d\n", n)
	}
	return objects.Digest(s)[:ImportIDLength]
}

// ImportIDLength is the length of an import's id, in hex digits.
const ImportIDLength = 32

// ShardID names a shard by its place, its content and its extractors.
func ShardID(pack int, snapshots []SnapshotLine, extractors []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pamline-shard/1\n%d\n%s\n", pack, strings.Join(extractors, ","))
	for _, s := range snapshots {
		b.WriteString(s.Conversation + " " + s.Digest + "\n")
	}
	return objects.Digest(b.String())[:32]
}

// HasAssets tells whether files were copied.
func (m Manifest) HasAssets() bool { return m.Counts.Assets.Files > 0 }

// ImporterOf is the version of the importer that read a source; "" for a source that the manifest
// lacks.
func (m Manifest) ImporterOf(source int) string {
	if source < 0 || source >= len(m.Sources) {
		return ""
	}
	return m.Sources[source].Importer
}
