package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
)

// readingRules is raised with every change of what an archive shows or of how members are shared out among importers that no
// importer's version tells of: what was read under other rules is then looked at again.
const readingRules = 2

// reading names what decides which importers read which members of a drop, beside the drop: the rules, the importers that
// are asked, in their order, and the limits on archives. Two readings of one name are the same; two of different names may
// be. The archive need not be opened to compare them.
func (d Deps) reading(pin string) (string, error) {
	asked, err := d.Registry.Asked(pin)
	if err != nil {
		return "", err
	}
	a := d.Limits.Archive
	s := fmt.Sprintf("pamline-reading/%d\n%s\n%d %d %d %d %d %d\n", readingRules, strings.Join(asked, ","),
		a.MaxMembers, a.MaxMemberSize, a.MaxTotal, a.MaxRatio, a.MaxNesting, a.MaxScratch)
	return digest(s)[:16], nil
}

// Notice finds drops that would not change. It keeps the input set that it read last, so that an owner's ten thousand drops
// do not read it as often. The zero value works, and may be used by several goroutines.
type Notice struct {
	mu     sync.Mutex
	digest string // of inputs, which never change under it
	inputs Inputs
}

// accepted gives the import whose result the store has of a drop; "" for none.
func (n *Notice) accepted(ctx context.Context, d Deps, owner, drop string) (string, error) {
	head, _, err := readHead(ctx, d.Store, owner)
	if err != nil || head.Inputs == "" {
		return "", err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.digest != head.Inputs {
		in, err := readInputs(ctx, d.Store, owner, head)
		if err != nil {
			return "", err
		}
		n.digest, n.inputs = head.Inputs, in
	}
	return n.inputs.Drops[drop], nil
}

// unchanged tells whether a request would end at the result that the store has of its drop, whole, and gives that. It is
// sure when it says so; when it does not, reading the drop may still come to the same.
func (n *Notice) unchanged(ctx context.Context, d Deps, r Request) (m Manifest, ok bool, err error) {
	id, err := n.accepted(ctx, d, r.Owner, r.Drop)
	if err != nil || id == "" {
		return m, false, err
	}
	if m, ok, err = readManifest(ctx, d.Store, r.Owner, id); err != nil || !ok {
		return m, false, err
	}
	if same, err := d.readsAs(m, r); err != nil || !same {
		return m, false, err
	}
	receipt, final, err := ReadReceipt(ctx, d.Store, r.Owner, id)
	if err != nil {
		return m, false, err
	}
	whole := final && (receipt.State == StateDone || receipt.State == StateLosses) && len(receipt.Extraction.Failed) == 0
	return m, whole, nil
}

// readsAs tells whether a request would be read, extracted and given vectors as an import was.
func (d Deps) readsAs(m Manifest, r Request) (bool, error) {
	if may, err := d.mayRead(m.Import, m.Importers, r); err != nil || !may {
		return false, err
	}
	reading, err := d.reading(r.Importer)
	return m.Reading == reading, err
}

// comesTo tells whether a request comes to an import that was read, whatever the limits on archives are now: a pinned importer
// has no choice, and others have none while the reading is the same.
func (d Deps) comesTo(m Manifest, r Request) (bool, error) {
	if r.Importer != "" {
		return d.mayRead(m.Import, m.Importers, r)
	}
	return d.readsAs(m, r)
}

// mayRead tells whether a request can come to the import of an id, which these importers read; the drop itself may say that
// it does not.
func (d Deps) mayRead(id string, importers []string, r Request) (bool, error) {
	if checkImporter(d.Registry, r.Importer) != nil {
		return false, nil // whoever reads the drop says so
	}
	asked, err := d.Registry.Asked(r.Importer)
	if err != nil {
		return false, err
	}
	extractors, err := d.selected(r.Extractors)
	if err != nil {
		return false, err
	}
	vectors := ""
	if d.Embed != nil {
		vectors = d.Embed.Identity()
	}
	for _, i := range importers {
		if !slices.Contains(asked, i) {
			return false, nil
		}
	}
	return importID(r.Owner, r.Drop, importers, extractorVersions(extractors), vectors, d.Limits) == id, nil
}
