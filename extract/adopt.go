package extract

import (
	"github.com/pamline/pamline/normalize"
)

// AdoptVersion is the extractor of candidates that add elements of other PAM stores.
const AdoptVersion = "pamline-pam/1.0.0"

// adopted are the kinds of records that are elements of PAM documents, with what becomes of them.
var adopted = map[string]string{
	RecordPAMMemory:       normalize.AdoptMemory,
	RecordPAMRelation:     normalize.AdoptRelation,
	RecordPAMConversation: normalize.AdoptConversation,
	RecordPAMEmbedding:    normalize.AdoptEmbedding,
}

// IsAdopted tells whether records of a kind are elements of PAM documents. They go into the store
// as they are, whichever extractors are asked.
func IsAdopted(kind string) bool { return adopted[kind] != "" }

// Adopt gives the candidate of a record that is an element of a PAM document. No gate holds it back
// and nothing is read out of it: what a PAM store says is the evidence.
func Adopt(r *Record) normalize.Candidate {
	return normalize.Candidate{
		Act: normalize.ActAdopt, Type: adopted[r.Kind], Platform: r.Provider, Method: "api_export", Extractor: AdoptVersion,
		Element: r.Raw,
		Evidence: []normalize.Evidence{{
			Pointer: r.Pointer, ObservedAt: r.CreatedAt, Listing: r.ID, ListedAt: r.UpdatedAt,
		}},
	}
}
