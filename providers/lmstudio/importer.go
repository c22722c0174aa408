// Package lmstudio reads the conversations of LM Studio: a JSON file each,
// conversations/**/<milliseconds>.conversation.json.
//
// One form is known ("versions", since 0.3): messages have versions, of which one is selected; a
// version is whole ("singleStep") or was made in steps ("multiStep"). The versions of a message
// become siblings, thinking blocks messages of their own. LM Studio notes no times of messages;
// those of answers are taken from the names of their steps, which begin with the milliseconds since
// 1970.
package lmstudio

import (
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app     = "lmstudio"
	version = "lmstudio-importer/2026.11"
	// format is the only form of the file that is known.
	format = "versions"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "lmstudio.json",
		ClaimMembers: claimMembers, SplitMember: cut.Text, DecodeElement: decodeElement, RestoreElement: schema.Restore,
	}
}
