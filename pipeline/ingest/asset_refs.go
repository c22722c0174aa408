package ingest

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/providers"
	"github.com/pamline/pamline/providers/importer"
)

// nameAssets replaces references to members by the names of copied files. A reference to a file
// that could not be copied, or that no importer claims, is removed and counted.
func (in *archiveRun) nameAssets(s *providers.Snapshot, gone map[string]bool) {
	missing := 0
	for ref := range fileRefs(s.Doc) {
		if gone[*ref] {
			*ref = ""
			missing++
			continue
		}
		index, ok := importer.ParseMemberRef(*ref)
		if !ok {
			continue
		}
		if *ref = in.assets[index]; *ref == "" {
			missing++
		}
	}
	if missing == 0 {
		return
	}
	if s.Anomalies == nil {
		s.Anomalies = map[string]int{}
	}
	s.Anomalies[importer.AnomalyAssetMissing] += missing
}

// fileRefs gives the places of a document that may name a file.
func fileRefs(doc *pamio.Conversation) func(yield func(*string) bool) {
	return func(yield func(*string) bool) {
		for i := range doc.Messages {
			m := &doc.Messages[i]
			for k := range m.Attachments {
				if !yield(&m.Attachments[k].Ref) {
					return
				}
			}
			if m.Content == nil {
				continue
			}
			for k := range m.Content.Parts {
				if !yield(&m.Content.Parts[k].Ref) {
					return
				}
			}
		}
	}
}

// inlineAsset is a file that stood inside a unit.
type inlineAsset struct {
	file state.AssetFile
	data []byte
}

// checkInside checks the files inside of a snapshot. Files beyond the limit are left out: gone has
// their names, and lost reports each at the place of the unit.
func (in *archiveRun) checkInside(s *providers.Snapshot, at providers.UnitError) (keep []inlineAsset, gone map[string]bool, lost []providers.UnitError, err error) {
	limit := in.Limits.AssetLimit()
	for i, a := range s.Assets {
		made, mime := importer.NewAsset(a.Data)
		if made.Ref != a.Ref {
			return nil, nil, nil, fmt.Errorf("asset %d of it is not what its name says", i)
		}
		size := int64(len(a.Data))
		if size <= limit {
			keep = append(keep, inlineAsset{state.AssetFile{Ref: a.Ref, Size: size, Mime: mime}, a.Data})
			continue
		}
		if gone == nil {
			gone = map[string]bool{}
		}
		gone[a.Ref] = true
		at.Size, at.Code, at.Reason = size, state.CodeAssetTooBig, reasonTooBig(limit)
		lost = append(lost, at)
	}
	return keep, gone, lost, nil
}
