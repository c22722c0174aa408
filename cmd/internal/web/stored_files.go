package web

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/cmd/internal/inspect"
)

// showFiles leaves references only to files that the store has. A message may name an image twice:
// where it stands in the text, by an address of the provider, and as a file of the store. Then it
// is shown once.
func showFiles(m *inspect.Spoken) {
	stored := map[string]int{}
	m.Files = slices.Clone(m.Files)
	for i := range m.Files {
		if f := &m.Files[i]; isStored(f.Ref) {
			stored[f.Type]++
		} else {
			f.Ref = ""
		}
	}
	pieces := make([]inspect.Piece, 0, len(m.Pieces))
	for _, piece := range m.Pieces {
		if piece.Type != "text" && piece.Type != "code" && !isStored(piece.Ref) {
			if stored[piece.Type] > 0 {
				stored[piece.Type]--
				continue
			}
			piece.Ref = ""
		}
		pieces = append(pieces, piece)
	}
	m.Pieces = pieces
}

// isStored tells whether a reference leads to a file of the store.
func isStored(ref string) bool { return strings.HasPrefix(ref, "assets/") }
