// Package textgen reads the chats of text-generation-webui: a JSON file each,
// logs/chat/<character>/<time>.json or logs/instruct/<time>.json, with pairs of texts: {"internal":
// [[user, assistant], …], "visible": the same as HTML}.
//
// The internal texts are the conversation; the visible ones stay in raw_metadata. Three forms are
// known: with "metadata" (times, models, versions, attachments, tools: "internal-metadata"),
// without ("internal"), and that of 2023 with the names "data" and "data_visible" ("data"). Times
// are of the person's clock, have no zone, are read as UTC and flagged.
package textgen

import (
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

const (
	app     = "textgen"
	version = "textgen-importer/2026.11"
	// program is the name in raw_metadata.
	program = "text-generation-webui"
)

// New makes the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: app, Release: version, File: "textgen.json",
		ClaimMembers: claimMembers, SplitMember: cut.Text, DecodeElement: decodeElement, RestoreElement: schemas.RestoreOr(formatInternal),
	}
}
