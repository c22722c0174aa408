package state

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/importer"
)

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

// Kept tells whether anything was.
func (c Counts) Kept() bool { return c.Conversations > 0 || len(c.Records) > 0 || c.Assets.Files > 0 }

// SkipCount is how often something was deliberately not kept, and why.
type SkipCount struct {
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Add sums b into c.
func (c *Counts) Add(b Counts) {
	c.Units += b.Units
	c.Conversations += b.Conversations
	c.Messages += b.Messages
	c.Bytes += b.Bytes
	c.Quarantined += b.Quarantined
	c.Leaves.Add(b.Leaves)
	c.Assets.Add(b.Assets.Files, b.Assets.Bytes)
	for kind, n := range b.Records {
		c.Record(kind, n)
	}
	for version, n := range b.ByImporter {
		c.By(version, n)
	}
	for code, s := range b.Skips {
		c.Skip(code, s.Reason, s.Count)
	}
	for code, n := range b.Anomalies {
		c.Anomaly(code, n)
	}
}

// Skip counts what was not kept on purpose, by a code and its reason.
func (c *Counts) Skip(code, reason string, n int) {
	if c.Skips == nil {
		c.Skips = map[string]SkipCount{}
	}
	s := c.Skips[code]
	c.Skips[code] = SkipCount{Count: s.Count + n, Reason: reason}
}

// Anomaly counts what is unusual and was kept, by code.
func (c *Counts) Anomaly(code string, n int) {
	if c.Anomalies == nil {
		c.Anomalies = map[string]int{}
	}
	c.Anomalies[code] += n
}

// Record counts records of a kind.
func (c *Counts) Record(kind string, n int64) {
	if c.Records == nil {
		c.Records = map[string]int64{}
	}
	c.Records[kind] += n
}

// By counts what an importer read.
func (c *Counts) By(version string, n ImporterCount) {
	if c.ByImporter == nil {
		c.ByImporter = map[string]ImporterCount{}
	}
	s := c.ByImporter[version]
	c.ByImporter[version] = ImporterCount{s.Conversations + n.Conversations, s.Records + n.Records, s.Assets + n.Assets}
}

// RecordCount is the number of records of all kinds.
func (c Counts) RecordCount() (n int64) {
	for _, k := range c.Records {
		n += k
	}
	return n
}
