// Package perplexity reads what Perplexity and its browser extensions give of a person's threads.
// There are four generations, told apart by their keys and named in provider.export_format_version:
//
//	official    {"conversations":[{context_uuid, context_title, entries:[{entry_uuid, query, answer}]}]}, the export that a
//	            person can ask for; a workbook with profile, preferences and memory lies beside it
//	extension   {"metadata":{thread_id, …}, "conversations":[{uuid, query, answer, sources}]}, a file for each thread
//	api         {"entries":[{uuid, query_str, blocks:[…]}]}, the answer of the web application itself, a file for each thread
//	gdpr-xlsx   a workbook with the sheets Conversations (UUID, CREATED, UPDATED, TITLE, OUTPUT_STR) and Memory; in it the
//	            question is the title. A workbook is not built again: this generation has no inverse
//
// An entry is a question and its answer: two messages, <entry>:query and <entry>:answer, both of
// the time of the entry.
package perplexity

import (
	"fmt"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/lossless"
)

const (
	provider = "perplexity"
	version  = "perplexity-importer/2026.11"
)

// New gives the importer.
func New() importer.Importer {
	return &cut.Format{
		Provider: provider, Release: version, File: "conversations.json",
		ClaimMembers: claimMembers, SplitMember: splitMember, Counted: counted, DecodeElement: decodeElement, RestoreElement: restoreElement,
	}
}

// The roles of members and of their units.
const (
	roleOfficial  = official
	roleExtension = extension
	roleAPI       = api
	roleRest      = "rest"     // what stands around the list of an official export
	roleWorkbook  = "workbook" // a member; its units have the roles of the sheets
	rolePart      = "workbook-part"

	roleThreadRow  = "thread-row"
	roleMemoryRow  = "memory-row"
	roleProfileRow = "profile-row"
	roleSettingRow = "setting-row"
	roleBilling    = "billing" // a sheet that is never read
)

// counted is the account of a sheet that is never read.
var counted = map[string]importer.Skip{
	roleBilling: {Code: "billing", Reason: "subscription and payments of the account; they are never copied", Count: 1},
}

// decodeElement turns a unit into an item.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	switch u.Role {
	case roleMemoryRow, roleProfileRow, roleSettingRow, roleRest:
		return decodeRecord(u, src)
	case roleThreadRow:
		return decodeThreadRow(u, src)
	}
	return decodeThread(u, src)
}

// restoreElement gives a thread as its generation has it.
func restoreElement(dst []byte, doc *pamio.Conversation) ([]byte, error) {
	name := doc.Provider.ExportFormatVersion
	if name == workbook {
		return dst, fmt.Errorf("restore conversation %s: it was a row of a workbook: %w", doc.ID, importer.ErrNoInverse)
	}
	g, ok := generations[name]
	if !ok {
		return dst, fmt.Errorf("restore conversation %s: %q is no format version of %s", doc.ID, name, version)
	}
	return g.schema.Restore(dst, doc)
}
