package main

import (
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/cmd/internal/wording"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// leftOut counts what imports read beside conversations, and what they could not read.
type leftOut struct {
	Records     map[string]int64           `json:"records,omitempty"`
	Skips       map[string]state.SkipCount `json:"skips,omitempty"`
	Quarantined int64                      `json:"quarantined,omitempty"`
}

// leftOf picks from what was counted while reading what restore does not write.
func leftOf(c state.Counts) *leftOut { return &leftOut{c.Records, c.Skips, c.Quarantined} }

// say names what imports read and restore does not write. A bundle does not tell.
func (l *leftOut) say(a *app) {
	if l == nil {
		a.say("a bundle contains conversations only: records (profiles, settings, single events) and skipped rows of the export are not restored; --import ID counts them")
		return
	}
	for _, kind := range slices.Sorted(maps.Keys(l.Records)) {
		a.say("not restored: %s of the account", wording.Record(kind, l.Records[kind]))
	}
	for _, code := range slices.Sorted(maps.Keys(l.Skips)) {
		a.say("not restored: %s", wording.Skip(code, l.Skips[code]))
	}
	if l.Quarantined > 0 {
		a.say("not restored: %s that could not be read; the receipt lists them", pluralNoun(l.Quarantined, "element"))
	}
}

// lost tells whether something of the export is certainly missing from what was written.
func (l *leftOut) lost() bool { return l != nil && (len(l.Records) > 0 || l.Quarantined > 0) }

// leftOfStore counts what the imports of a store left out that have conversations of the provider:
// the newest import of each drop.
func (c *restoreCommand) leftOfStore(a *app) (*leftOut, error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return nil, err
	}
	owner, err := storeOwner(loaded)
	if err != nil {
		return nil, err
	}
	var sum state.Counts
	err = withViewer(a, loaded, func(v pipeline.Viewer) error {
		found, err := v.Imports(a.ctx, status.Query{Owner: owner})
		if err != nil {
			return err
		}
		for _, row := range found.Imports {
			if row.Import == "" || row.IsOpen() || row.State == status.StateUnreadable {
				continue
			}
			receipt, err := v.Report(a.ctx, row.Ref(), row.Gen)
			if err != nil {
				return err
			}
			if slices.Contains(row.Providers, c.Provider) || slices.ContainsFunc(receipt.Importers, c.isOf) {
				sum.Add(receipt.Counts)
			}
		}
		return nil
	})
	return leftOf(sum), err
}

// isOf tells whether an importer's version is one of the importer that is restored.
func (c *restoreCommand) isOf(version string) bool {
	return strings.HasPrefix(version, c.Provider+"-importer/")
}
