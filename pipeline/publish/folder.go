package publish

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/objects"
	"github.com/pamline/pamline/pipeline/state"
)

// FolderProblem is a file by which the folder of an owner, opened as a bundle, is not the bundle
// that the head names.
type FolderProblem struct {
	File, Problem string
}

func (p FolderProblem) String() string { return p.File + ": " + p.Problem }

// CheckCopies compares the copies of what the head names with the head. An owner without a
// store has no problem.
func CheckCopies(ctx context.Context, s blob.Store, owner string) (problems []FolderProblem, err error) {
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil || head.ExportID == "" {
		return nil, err
	}
	copies := CopiesOf(head)
	for _, name := range slices.Sorted(maps.Keys(copies)) {
		key, digest := state.OwnerKey(owner, name), copies[name].SHA256
		_, err := s.Head(ctx, key)
		isMissing := objects.IsMissing(err)
		switch {
		case err != nil && !isMissing:
			return nil, fmt.Errorf("check %s: %w", key, err)
		case isMissing && digest == "":
			continue
		case isMissing:
			problems = append(problems, FolderProblem{name, "the file is missing"})
			continue
		case digest == "":
			problems = append(problems, FolderProblem{name, "the current store has no such file: it is left from an earlier one, or another owner's"})
			continue
		}
		if same, err := objects.IsWhole(ctx, s, key, digest); err != nil {
			return nil, err
		} else if !same {
			problems = append(problems, FolderProblem{name, "the file is not the one that head.json names: it is damaged, an earlier version or another owner's"})
		}
	}
	return problems, nil
}

// CheckFolder is CheckCopies, and tells also which conversation files and assets are missing. Their
// content is not read: readers of a bundle compare it with their names.
func CheckFolder(ctx context.Context, s blob.Store, owner string) ([]FolderProblem, error) {
	problems, err := CheckCopies(ctx, s, owner)
	if err != nil {
		return nil, err
	}
	head, _, err := state.ReadHead(ctx, s, owner)
	if err != nil || head.ExportID == "" {
		return problems, err
	}
	check := func(ref string) error {
		_, err := s.Head(ctx, state.OwnerKey(owner, ref))
		if !objects.IsMissing(err) {
			return err
		}
		if p := (FolderProblem{ref, "the file is missing"}); !slices.Contains(problems, p) {
			problems = append(problems, p)
		}
		return nil
	}
	rc, err := OpenExport(ctx, s, owner, head)
	if err != nil {
		return nil, err
	}
	defer rc.Close()
	err = pamio.ReadStore(rc, pamio.Visitor{IndexEntry: func(e pamio.Element) error {
		entry, err := pamio.ParseIndexEntry(e.Raw)
		if err != nil || entry.Storage == nil || entry.Storage.Type != "file" {
			return err
		}
		return check(entry.Storage.Ref)
	}})
	if err != nil {
		return nil, err
	}
	inputs, err := state.ReadInputs(ctx, s, owner, head)
	if err != nil {
		return nil, err
	}
	return problems, eachAsset(ctx, s, owner, inputs, check)
}

// eachAsset calls use with the name of each asset that the imports of an input set brought; a name
// may come more than once.
func eachAsset(ctx context.Context, s blob.Store, owner string, inputs state.Inputs, use func(ref string) error) error {
	accepted, _ := importsOf(inputs)
	for _, id := range accepted {
		m, _, err := state.ReadManifestOf(ctx, s, owner, id, inputs.Contents[id].Manifest)
		if err != nil {
			return objects.Lost(state.ManifestKey(owner, id), err)
		}
		if !m.HasAssets() {
			continue
		}
		for ref, err := range state.AssetRefs(ctx, s, m) {
			if err != nil {
				return err
			}
			if err := use(ref); err != nil {
				return err
			}
		}
	}
	return nil
}
