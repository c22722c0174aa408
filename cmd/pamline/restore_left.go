package main

import (
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/wording"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/objects"
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

// say names what imports read and restore does not write. A bundle alone does not tell.
func (l *leftOut) say(a *app) {
	if l == nil {
		a.say("a bundle contains conversations only, and the data folder did not publish this one: records (profiles, settings, single events) and skipped rows of the export are not restored. --data DIR with the data folder that imported the export counts them")
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

// leftOfStore counts what the imports of a store left out that have conversations of the provider.
func (c *restoreCommand) leftOfStore(a *app) (*leftOut, error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return nil, err
	}
	owner, err := storeOwner(loaded)
	if err != nil {
		return nil, err
	}
	return c.leftOfOwner(a, loaded, owner)
}

// leftOfBundle does the same for a bundle that the data folder published; nil if it did not.
func (c *restoreCommand) leftOfBundle(a *app, b *pamio.Bundle) (*leftOut, error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil || loaded.Store.Kind != "dir" || requireStore(loaded) != nil {
		return nil, err
	}
	export, err := exportOf(b)
	if err != nil {
		return nil, err
	}
	data, err := datadir.Look(loaded.Data)
	if err != nil {
		return nil, err
	}
	owners, err := datadir.Owners(dirOf(loaded, data))
	if err != nil {
		return nil, err
	}
	publisher := ""
	err = withStore(a, loaded, func(s blob.Store) error {
		for _, owner := range owners {
			is, err := objects.Exists(a.ctx, s, state.ExportKey(owner, export, ".json"))
			if err != nil {
				return err
			}
			if is {
				publisher = owner
			}
		}
		return nil
	})
	if err != nil || publisher == "" {
		return nil, err
	}
	return c.leftOfOwner(a, loaded, publisher)
}

// exportOf reads the id of the export that a bundle is.
func exportOf(b *pamio.Bundle) (id string, err error) {
	f, err := b.OpenStore()
	if err != nil {
		return "", err
	}
	err = pamio.ReadStore(f, pamio.Visitor{Scalars: func(s *pamio.Scalars) error {
		id = s.ExportID
		return nil
	}})
	return id, errors.Join(err, f.Close())
}

// leftOfOwner adds up the newest import of each drop of an owner.
func (c *restoreCommand) leftOfOwner(a *app, loaded *config.Config, owner string) (*leftOut, error) {
	var sum state.Counts
	err := withViewer(a, loaded, func(v pipeline.Viewer) error {
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
