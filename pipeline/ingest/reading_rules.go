package ingest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// readingRules is raised with every change of what an archive shows, or of how members are divided
// among importers, that no importer's version tells of. What was read under other rules is read
// again.
const readingRules = 2

// Reading names what decides which importers read which members of a drop, beside the drop: the
// rules, the importers that are asked, in their order, and the limits on archives. Two readings of
// one name are equal; two of different names may be. The archive need not be opened to compare
// them.
func (d Options) Reading(pin string) (string, error) {
	asked, err := d.Registry.Asked(pin)
	if err != nil {
		return "", err
	}
	a := d.Limits.Archive
	s := fmt.Sprintf("pamline-reading/%d\n%s\n%d %d %d %d %d %d\n", readingRules, strings.Join(asked, ","),
		a.MaxMembers, a.MaxMemberSize, a.MaxTotal, a.MaxRatio, a.MaxNesting, a.MaxScratch)
	return objects.Digest(s)[:16], nil
}

// RefusalReading names what decides whether a drop is refused for its content: its Reading, and the
// limits on units.
func (d Options) RefusalReading(pin string) (string, error) {
	reading, err := d.Reading(pin)
	if err != nil {
		return "", err
	}
	l := d.Limits.Units()
	s := fmt.Sprintf("%s\n%d %d %d\n", reading, l.MaxConversation, l.MaxDepth, l.MaxSidecar)
	if l.AnySignature {
		s += "any signature\n"
	}
	return objects.Digest(s)[:16], nil
}

// ReadsAs tells whether a request would be read, extracted and given vectors as an import was.
func (d Options) ReadsAs(m state.Manifest, r Request) (bool, error) {
	if may, err := d.MayRead(m.Import, m.Importers, r); err != nil || !may {
		return false, err
	}
	reading, err := d.Reading(r.Importer)
	return m.Reading == reading, err
}

// MayRead tells whether a request can resolve to the import of an id, which these importers read.
// The drop itself may say that it does not.
func (d Options) MayRead(id string, importers []string, r Request) (bool, error) {
	if CheckImporter(d.Registry, r.Importer) != nil {
		return false, nil // whoever reads the drop says so
	}
	asked, err := d.Registry.Asked(r.Importer)
	if err != nil {
		return false, err
	}
	extractors, err := state.SelectExtractors(d.Extractors, r.Extractors)
	if err != nil {
		return false, err
	}
	for _, i := range importers {
		if !slices.Contains(asked, i) {
			return false, nil
		}
	}
	return state.ImportID(r.Owner, r.Drop, importers, state.ExtractorVersions(extractors), d.Embeddings, d.Limits) == id, nil
}
