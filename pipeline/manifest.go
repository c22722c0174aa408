package pipeline

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// Manifest is what ingest made of a drop. It is written last: an import that has one has been read to its end.
type Manifest struct {
	V          int      `json:"v"`
	Import     string   `json:"import"`
	Owner      string   `json:"owner"`
	Drop       string   `json:"drop"`
	Lane       string   `json:"lane"`
	Importers  []string `json:"importers"`
	Extractors []string `json:"extractors"`
	Parts      []Part   `json:"parts"`
	Sources    []Source `json:"sources"`
	Shards     []Shard  `json:"shards"`
	// AssetLists is how many lists of copied files there are beside the snapshots.
	AssetLists int       `json:"asset_lists,omitempty"`
	Counts     Counts    `json:"counts"`
	Refused    []Refusal `json:"refused,omitempty"`
	// Unread are the first MaxListed members that no importer reads; Counts.Skips counts all.
	Unread []Refusal `json:"unread,omitempty"`
	Notes  []string  `json:"notes,omitempty"`
}

// Part is one archive of the drop as it was read.
type Part struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	// Newest is the newest time inside the archive, RFC 3339; it becomes imported_at. "" when it has no times.
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

// Shard is a unit of extract work: the snapshots and records of one pack. Its id is the digest of the pack's number, their list and
// the extractor versions.
type Shard struct {
	ID        string `json:"id"`
	Pack      int    `json:"pack"`
	Snapshots int    `json:"snapshots"`
	Records   int    `json:"records,omitempty"`
	// Assets counts the files that stood inside the units of the pack.
	Assets int   `json:"assets,omitempty"`
	Bytes  int64 `json:"bytes"`
}

// empty: only skips and quarantined units; there is nothing to extract.
func (s Shard) empty() bool { return s.Snapshots+s.Records == 0 }

// Refusal is a member or part that no importer read although a person may have expected it.
type Refusal struct {
	Part   string `json:"part"`
	Member string `json:"member,omitempty"`
	Reason string `json:"reason"`
}

// Counts is the account of an import: what was read and where it went.
type Counts struct {
	Units         int64 `json:"units"`
	Conversations int64 `json:"conversations"`
	Messages      int64 `json:"messages"`
	// Records are counted by their kind: memory, instruction, …
	Records     map[string]int64     `json:"records,omitempty"`
	Assets      AssetCount           `json:"assets"`
	Bytes       int64                `json:"bytes"`
	Quarantined int64                `json:"quarantined"`
	Skips       map[string]SkipCount `json:"skips,omitempty"`
	Anomalies   map[string]int       `json:"anomalies,omitempty"`
	Leaves      normalize.Loss       `json:"leaves"`
	// ByImporter says who read what, by the importer's version.
	ByImporter map[string]ImporterCount `json:"by_importer,omitempty"`
}

// ImporterCount is what one importer read.
type ImporterCount struct {
	Conversations int64 `json:"conversations"`
	Records       int64 `json:"records,omitempty"`
	Assets        int64 `json:"assets,omitempty"` // files copied
}

// UnknownVariants is how many conversations were of a form that their importer does not know whole.
func (c Counts) UnknownVariants() int { return c.Anomalies[importer.AnomalyUnknownVariant] }

// AssetsMissing is how often a message names a file that was not there to be copied.
func (c Counts) AssetsMissing() int { return c.Anomalies[importer.AnomalyAssetMissing] }

// kept tells whether anything was.
func (c Counts) kept() bool { return c.Conversations > 0 || len(c.Records) > 0 || c.Assets.Files > 0 }

// SkipCount is how often something was deliberately not kept, and why.
type SkipCount struct {
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Quarantined is a unit that could not be read; its neighbours were.
type Quarantined struct {
	Archive string `json:"archive"`
	providers.UnitError
}

// add sums b into c.
func (c *Counts) add(b Counts) {
	c.Units += b.Units
	c.Conversations += b.Conversations
	c.Messages += b.Messages
	c.Bytes += b.Bytes
	c.Quarantined += b.Quarantined
	c.Leaves.Add(b.Leaves)
	c.Assets.add(b.Assets.Files, b.Assets.Bytes)
	for kind, n := range b.Records {
		c.record(kind, n)
	}
	for version, n := range b.ByImporter {
		c.by(version, n)
	}
	for code, s := range b.Skips {
		c.skip(code, s.Reason, s.Count)
	}
	for code, n := range b.Anomalies {
		c.anomaly(code, n)
	}
}

func (c *Counts) skip(code, reason string, n int) {
	if c.Skips == nil {
		c.Skips = map[string]SkipCount{}
	}
	s := c.Skips[code]
	c.Skips[code] = SkipCount{Count: s.Count + n, Reason: reason}
}

func (c *Counts) anomaly(code string, n int) {
	if c.Anomalies == nil {
		c.Anomalies = map[string]int{}
	}
	c.Anomalies[code] += n
}

func (c *Counts) record(kind string, n int64) {
	if c.Records == nil {
		c.Records = map[string]int64{}
	}
	c.Records[kind] += n
}

func (c *Counts) by(version string, n ImporterCount) {
	if c.ByImporter == nil {
		c.ByImporter = map[string]ImporterCount{}
	}
	s := c.ByImporter[version]
	c.ByImporter[version] = ImporterCount{s.Conversations + n.Conversations, s.Records + n.Records, s.Assets + n.Assets}
}

// importID names the processing of one drop by one set of importers and extractors. Limits other than the defaults
// belong to it: a drop that lost units to a low limit is read anew under a higher one.
func importID(owner, drop string, importers, extractors []string, limits Limits) string {
	s := fmt.Sprintf("pamline-import/1\n%s\n%s\n%s\n%s\n", owner, drop, strings.Join(importers, ","), strings.Join(extractors, ","))
	if l, d := limits.units(), (providers.Limits{}).WithDefaults(); l != d {
		s += fmt.Sprintf("limits %d %d %d\n", l.MaxConversation, l.MaxDepth, l.MaxSidecar)
	}
	if n := limits.maxAsset(); n != DefaultMaxAsset {
		s += fmt.Sprintf("assets %d\n", n)
	}
	return digest(s)[:32]
}

// shardID names a shard by its place, what it holds and who reads it.
func shardID(pack int, snapshots []snapshotLine, extractors []string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "pamline-shard/1\n%d\n%s\n", pack, strings.Join(extractors, ","))
	for _, s := range snapshots {
		if s.Record != "" {
			b.WriteString("record ")
		}
		b.WriteString(s.Conversation + " " + s.Digest + "\n")
	}
	return digest(b.String())[:32]
}

func digest(s string) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}
