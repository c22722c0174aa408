// Package providers reads the export formats of AI assistants. An importer is one folder, one file
// a format version; the registry knows them all and finds, by content, which of them an archive is
// for.
package providers

import "github.com/pamline/pamline/providers/importer"

// The contract of an importer, see package importer.
type (
	Importer      = importer.Importer
	Repeatable    = importer.Repeatable
	Peeker        = importer.Peeker
	Claim         = importer.Claim
	ClaimedMember = importer.ClaimedMember
	Refusal       = importer.Refusal
	Limits        = importer.Limits
	Unit          = importer.Unit
	UnitError     = importer.UnitError
	Item          = importer.Item
	Snapshot      = importer.Snapshot
	Asset         = importer.Asset
	Record        = importer.Record
	Skip          = importer.Skip
	Signature     = importer.Signature
)
