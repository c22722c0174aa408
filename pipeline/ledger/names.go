package ledger

import (
	"context"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/state"
)

// NameErased stands for the name of an archive that something was erased of. A name may tell what
// was: a conversation that is a file of its own is often named by its title.
const NameErased = "(erased)"

// BlankNames takes the names of archives out of the manifest of a drop that something was erased
// of, and names and digests of the members that nothing is left of. Its lists are in storage.
func BlankNames(ctx context.Context, s blob.Store, m *state.Manifest) error {
	kept := map[int]bool{}
	for _, shard := range m.Shards {
		if shard.IsEmpty() {
			continue
		}
		list, err := state.OpenShardList(ctx, s, *m, shard)
		if err != nil {
			return err
		}
		for line, err := range list.Lines {
			if err != nil {
				return err
			}
			kept[line.Source] = true
		}
	}
	sources := make([]state.Source, len(m.Sources))
	for i, src := range m.Sources {
		if !kept[i] {
			src.File, src.Checksum = "", ""
		}
		sources[i] = src
	}
	m.Sources, m.Parts = sources, BlankParts(m.Parts)
	return nil
}

// BlankParts gives archives without their names.
func BlankParts(parts []state.Part) []state.Part {
	blank := make([]state.Part, len(parts))
	for i, p := range parts {
		p.Name = NameErased
		blank[i] = p
	}
	return blank
}

// BlankFiles takes the names of members that a pack has nothing of out of its header.
func BlankFiles(h *state.PackHeader, lines []state.SnapshotLine) {
	kept := map[int]bool{}
	for _, line := range lines {
		kept[line.Source] = true
	}
	files := state.SourceFiles{}
	for i, name := range h.Files {
		if kept[i] {
			files[i] = name
		}
	}
	h.Files = files
}
