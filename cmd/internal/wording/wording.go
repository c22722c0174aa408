// Package wording says in words what the codes of a receipt mean, for reports and the web page.
package wording

import (
	"fmt"
	"strings"

	"github.com/pamline/pamline/extract/gate"
	"github.com/pamline/pamline/extract/harvest"
	"github.com/pamline/pamline/pipeline/state"
)

// Words says one and several of something; Several has %d.
type Words struct{ One, Several string }

// Count says how many there are.
func (w Words) Count(n int) string {
	if n == 1 {
		return w.One
	}
	return fmt.Sprintf(w.Several, n)
}

// noteWords say what was unusual but kept, by the code of a receipt.
var noteWords = map[string]Words{
	"message_id_differs":     {"1 message has two different ids (kept unchanged)", "%d messages have two different ids (kept unchanged)"},
	"node_id_differs":        {"1 message is filed under an id that is not its own (kept unchanged)", "%d messages are filed under ids that are not their own (kept unchanged)"},
	"duplicate_id":           {"1 message has the id of another message; it got a new one", "%d messages have the id of another message; they got new ones"},
	"orphan_parent":          {"1 message replies to a message that is missing from the export", "%d messages reply to messages that are missing from the export"},
	"dangling_child":         {"1 message lists a reply that is missing from the export", "%d messages list replies that are missing from the export"},
	"self_parent":            {"1 message claims to reply to itself; the link was dropped", "%d messages claim to reply to themselves; the links were dropped"},
	"parent_from_children":   {"1 reply was linked by what its parent says", "%d replies were linked by what their parents say"},
	"parent_inferred":        {"1 reply was linked by its position", "%d replies were linked by their position"},
	"cycle_cut":              {"1 circle of replies was cut", "%d circles of replies were cut"},
	"linear_fallback":        {"1 message has no usable link and follows the one before it", "%d messages have no usable link and follow the one before them"},
	"no_role":                {"1 message does not say who wrote it (kept as a system message)", "%d messages do not say who wrote them (kept as system messages)"},
	"unknown_role":           {"1 message has an author of an unknown kind (kept as a system message)", "%d messages have authors of an unknown kind (kept as system messages)"},
	"unknown_content_type":   {"1 message has content of an unknown kind (kept unchanged)", "%d messages have content of an unknown kind (kept unchanged)"},
	"unknown_key":            {"1 field is new to this importer (kept unchanged)", "%d fields are new to this importer (kept unchanged)"},
	"unreadable_time":        {"1 date cannot be read (kept as text)", "%d dates cannot be read (kept as text)"},
	"update_before_create":   {"1 conversation was updated before it was created, by its dates", "%d conversations were updated before they were created, by their dates"},
	"local_time":             {"1 conversation has dates without a time zone; UTC is assumed", "%d conversations have dates without a time zone; UTC is assumed"},
	"unreadable_card":        {"1 card in a message cannot be read (kept unchanged)", "%d cards in messages cannot be read (kept unchanged)"},
	"unanswered":             {"1 question has no answer in the export", "%d questions have no answer in the export"},
	"incomplete_answer":      {"1 answer is incomplete in the export", "%d answers are incomplete in the export"},
	"failed_response":        {"1 response failed at the provider (kept as it is)", "%d responses failed at the provider (kept as they are)"},
	"selection_out_of_range": {"1 message selects a variant that does not exist", "%d messages select variants that do not exist"},
	"ambiguous_asset":        {"1 file name in a message fits several files of the export", "%d file names in messages fit several files of the export"},
	"mixed_markers":          {"1 conversation has the marks of two formats", "%d conversations have the marks of two formats"},
	"read_from_chat_html":    {"1 conversation that the JSON files lack was read from chat.html", "%d conversations that the JSON files lack were read from chat.html"},
	"no_mapping":             {"1 conversation has no messages in the export", "%d conversations have no messages in the export"},
}

// Note says what was unusual but kept.
func Note(code string, n int) string {
	if w, ok := noteWords[code]; ok {
		return w.Count(n)
	}
	words := strings.ReplaceAll(code, "_", " ")
	if thing, ok := strings.CutPrefix(words, "unknown "); ok {
		return unknownThing(strings.TrimSuffix(thing, " type"), n)
	}
	return fmt.Sprintf("%d × %s (kept unchanged)", n, words)
}

// unknownThing says of how many things of an export nothing more is known than what they are.
func unknownThing(thing string, n int) string {
	if n == 1 {
		return fmt.Sprintf("1 %s is of an unknown kind (kept unchanged)", thing)
	}
	return fmt.Sprintf("%d %ss are of an unknown kind (kept unchanged)", n, strings.TrimSuffix(thing, "s"))
}

// skipWords say what was skipped on purpose, by the code of a receipt, where the receipt's own
// reason is for its readers.
var skipWords = map[string]Words{
	"duplicate-of-json":          {"1 page that repeats the conversations of the JSON files", "%d pages that repeat the conversations of the JSON files"},
	"repeated-in-page":           {"1 conversation of chat.html that the JSON files contain as well", "%d conversations of chat.html that the JSON files contain as well"},
	"page-damaged":               {"1 damaged page, beside JSON files that are whole", "%d damaged pages, beside JSON files that are whole"},
	"page-without-conversations": {"1 page without conversations", "%d pages without conversations"},
	"duplicate-row":              {"1 row that the export contains twice", "%d rows that the export contains more than once"},
	"other-product":              {"1 row of another Google product", "%d rows of other Google products"},
	"personal-data-not-imported": {"1 personal detail of the account (only its id and plan are kept)", "%d personal details of the account (only its id and plan are kept)"},
	"billing":                    {"payment data of the account, which is never copied", "%d sets of payment data of the account, which are never copied"},
	"account-sessions":           {"sign-ins of the account, which are never copied", "%d sets of sign-ins of the account, which are never copied"},
	"member-not-read":            {"1 file that is not part of an export", "%d files that are not part of an export"},
	"part-not-read":              {"1 input in which nothing is known", "%d inputs in which nothing is known"},
	"asset-not-imported":         {"1 file that conversations mention", "%d files that conversations mention"},
	"empty":                      {"1 file without text", "%d files without text"},
	"empty-file":                 {"1 empty file", "%d empty files"},
	"empty-entry":                {"1 heading or item without text", "%d headings or items without text"},
	"empty-lists":                {"1 set of empty lists beside the conversations", "%d sets of empty lists beside the conversations"},
	"prompt-history":             {"1 history of prompts, which the sessions contain", "%d histories of prompts, which the sessions contain"},
	"session-index":              {"1 list of sessions, which repeats their logs", "%d lists of sessions, which repeat their logs"},
	"task-list":                  {"1 task list, which a session contains", "%d task lists, which sessions contain"},
	"erased":                     {"1 conversation or record that was erased at your request", "%d conversations or records that were erased at your request"},
	"no_rows":                    {"1 table without rows", "%d tables without rows"},
}

// Skip says what was skipped and why.
func Skip(code string, s state.SkipCount) string {
	if w, ok := skipWords[code]; ok {
		return w.Count(s.Count)
	}
	return fmt.Sprintf("%d × %s (%s)", s.Count, code, s.Reason)
}

// recordWords name what a provider keeps about a person, by the kind of the record.
var recordWords = map[string]Words{
	"memory":      {"1 memory", "%d memories"},
	"instruction": {"1 instruction", "%d instructions"},
	"profile":     {"1 profile", "%d profiles"},
	"project":     {"1 project", "%d projects"},
	"setting":     {"1 setting", "%d settings"},
	"feedback":    {"1 piece of feedback", "%d pieces of feedback"},
	"task":        {"1 task", "%d tasks"},

	"pam-memory":       {"1 memory of a PAM store", "%d memories of a PAM store"},
	"pam-relation":     {"1 relation of a PAM store", "%d relations of a PAM store"},
	"pam-conversation": {"1 index entry of a PAM store", "%d index entries of a PAM store"},
	"pam-embedding":    {"1 embedding of a PAM store", "%d embeddings of a PAM store"},
}

// Record counts records of a kind.
func Record(kind string, n int64) string {
	if w, ok := recordWords[kind]; ok {
		return w.Count(int(n))
	}
	return fmt.Sprintf("%d × %s", n, kind)
}

// Restricted are the reasons for which memories of PAM stores are made private.
var Restricted = []struct {
	Code string
	Words
}{
	{state.RestrictedPrefix + gate.Secret, Words{"1 memory contains a password or key: it is private and marked sensitive", "%d memories contain passwords or keys: they are private and marked sensitive"}},
	{state.RestrictedPrefix + gate.Payment, Words{"1 memory contains a card or account number: it is private and marked sensitive", "%d memories contain card or account numbers: they are private and marked sensitive"}},
	{state.RestrictedPrefix + gate.Identity, Words{"1 memory contains a passport, tax or social security number: it is private and marked sensitive", "%d memories contain passport, tax or social security numbers: they are private and marked sensitive"}},
}

// Withheld are the reasons of the gate for which a text makes no memory that a person would
// ask about.
var Withheld = []struct {
	Code string
	Words
}{
	{gate.Secret, Words{"1 statement that contains a password or key makes no memory", "%d statements that contain passwords or keys make no memory"}},
	{gate.Payment, Words{"1 statement that contains a card or account number makes no memory", "%d statements that contain card or account numbers make no memory"}},
	{gate.Identity, Words{"1 statement that contains a passport, tax or social security number makes no memory", "%d statements that contain passport, tax or social security numbers make no memory"}},
	{harvest.SkipMany, Words{"1 record that says more than 50,000 things makes no memories; it is kept as it is", "%d records that say more than 50,000 things each make no memories; they are kept as they are"}},
	{gate.Injection, Words{"1 text that gives orders to assistants makes no memory", "%d texts that give orders to assistants make no memory"}},
}
