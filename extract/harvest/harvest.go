// Package harvest takes the memories that a provider keeps about a person itself out of imported
// conversations. They are records, not talk: what the person or the provider has written down. Each
// sentence becomes a memory in the form that all memories have (package restate), with the types
// and slots of the rules that read talk; the provider's own words stay as its quote.
//
// For ChatGPT these are
//
//   - custom instructions: a hidden message of content type user_editable_context at the start of a
//     conversation;
//   - memory writes: assistant messages to the tool "bio";
//   - memory snapshots: messages of content type model_editable_context, whose text is a numbered,
//     dated list.
//
// The same record usually stands in many conversations. Each gives a candidate; making one memory
// of them is the resolver's part.
//
// What package gate finds in a record is taken out of it, or keeps it back as a whole, and is
// counted: a provider remembers a password as well as a name.
//
// A provider gives all that it remembers at a time. Evidence names the list that it stands in
// (Evidence.Listing), so that what a later list has no more can be told from what was never in one.
//
// Records that lie in files of their own, of whatever provider, come to ExtractRecord.
package harvest

import (
	"bytes"
	"slices"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Version of the candidates that this package gives.
const Version = "pamline-harvest/1.3.0"

// Codes of the records that give no candidate.
const (
	SkipEmpty      = "empty"           // no text in it
	SkipLong       = "too-long"        // longer than maxContent: a document, not a memory
	SkipMany       = "too-many"        // says more than maxStatements things
	SkipRetraction = "retraction"      // asks the provider to forget something
	SkipUnknown    = "unknown-form"    // a memory write whose text is in none of the known places
	SkipPronoun    = "unclear-pronoun" // a sentence about "he" or "she", of whom nothing tells who that is
	SkipForbidden  = "do-not-remember" // the conversation is marked so; counted once
)

// maxContent is the length of a memory, in bytes. What is longer stays in the record and the
// conversation.
const maxContent = 64 << 10

// maxStatements is how many things a record may say of a person. No provider remembers a hundredth
// of that; what says more would take memory by its length, and stays in the record.
const maxStatements = 50_000

// confidence of what a provider's record says in words.
const confidence = 0.9

// Extractor is the harvest extractor. The zero value works.
type Extractor struct{}

// New gives the extractor.
func New() Extractor { return Extractor{} }

// Name is "harvest".
func (Extractor) Name() string { return "harvest" }

// Version is that of the candidates.
func (Extractor) Version() string { return Version }

var _ extract.Extractor = Extractor{}

// markers are what stands behind an underscore in texts of which every conversation with a record
// has one, if it has not the tool's name. Underscores are rare in talk, so that one fast search for
// them does for all.
var markers = []string{
	"editable_context", "context_message_data", "set_context", "memory_content", `profile"`, `instructions"`, `do_not_remember":true`,
}

var toolMarker = []byte(`"bio"`)

// MayHold tells whether the text of a conversation, or of a message's raw metadata, can hold a
// record, without parsing it. Most cannot.
func MayHold(raw []byte) bool {
	for rest := raw; ; {
		i := bytes.IndexByte(rest, '_')
		if i < 0 {
			return bytes.Contains(raw, toolMarker)
		}
		rest = rest[i+1:]
		for _, m := range markers {
			if len(rest) >= len(m) && rest[0] == m[0] && string(rest[:len(m)]) == m {
				return true
			}
		}
	}
}

// Extract harvests one conversation. A conversation marked "do not remember" gives nothing but
// that: another export may have it without the mark.
func (Extractor) Extract(doc *pamio.Conversation, _ []byte) ([]normalize.Candidate, extract.Report) {
	if doc.Provider.Name != "chatgpt" {
		return nil, extract.Report{}
	}
	h := harvester{doc: doc}
	if extract.Forbidden(doc) {
		h.report.Skip(SkipForbidden)
		return []normalize.Candidate{{
			Act: normalize.ActForbid, Platform: doc.Provider.Name, Method: "api_export", Extractor: Version,
			Evidence: []normalize.Evidence{{Conversation: doc.ID, AccountID: doc.Provider.AccountID}},
		}}, h.report
	}
	meta := h.parse(doc.RawMetadata)
	h.started = doc.Temporal.CreatedAt
	if from := meta.Get("created_at_source"); from.Is("none") {
		h.started = ""
	}
	for i := range doc.Messages {
		h.message(&doc.Messages[i])
	}
	return h.found, h.report
}

// harvester collects the candidates of one conversation.
type harvester struct {
	doc     *pamio.Conversation
	started string // when the conversation began; "" when nowhere known
	scan    jsonscan.Doc
	found   []normalize.Candidate
	report  extract.Report
}

// parse reads raw metadata into the one tree at hand. What is not an object has no fields.
func (h *harvester) parse(raw pamio.RawJSON) jsonscan.Node {
	if len(raw) == 0 || h.scan.Parse(raw, 0) != nil {
		return jsonscan.Node{}
	}
	return h.scan.Root()
}

func (h *harvester) message(m *pamio.Message) {
	if !slices.ContainsFunc(m.ToolCalls, isMemoryWrite) && !MayHold(m.RawMetadata) {
		return
	}
	meta := h.parse(m.RawMetadata)
	when := h.observed(m, meta)
	h.customInstructions(m, meta, when)
	h.memorySnapshot(m, meta, when)
	h.memoryWrites(m, meta, when)
}

// add makes candidates of a record's text. pointer leads inside the message of the provider's own
// element. list is the list that the record stands in; whole tells that the message has all of it,
// so that it is of the time of the message.
func (h *harvester) add(m *pamio.Message, kind func(string) string, text, pointer, when string, list string, whole bool) {
	h.report.Records++
	if text == "" {
		h.report.Skip(SkipEmpty)
		if whole && list != listMemories {
			h.cleared(m, when, list)
		}
		return
	}
	if len(text) > maxContent {
		h.report.Skip(SkipLong)
		return
	}
	evidence := normalize.Evidence{
		Conversation: h.doc.ID, Message: m.ID,
		Pointer:    "/mapping/" + normalize.EscapePointer(m.ID) + "/message/" + pointer,
		ObservedAt: when, AccountID: h.doc.Provider.AccountID, Listing: listing("chatgpt", h.doc.Provider.AccountID, list),
	}
	if whole {
		evidence.ListedAt = when
	}
	base := normalize.Candidate{
		Confidence: confidence, Platform: h.doc.Provider.Name, Method: "api_export", Extractor: Version, Evidence: []normalize.Evidence{evidence},
	}
	f := newFacts(kind, &h.report, nil)
	if list == listAnswers {
		f.answers(text, base)
	} else {
		for _, s := range statements(text) {
			f.read(s.text, base, s.headings)
		}
	}
	h.found = append(h.found, f.found...)
}

// cleared says that a list of one item was seen without it: the person emptied that field. Of saved
// memories an empty text says nothing, for exports leave it out.
func (h *harvester) cleared(m *pamio.Message, when, list string) {
	h.found = append(h.found, normalize.Candidate{
		Act: normalize.ActListing, Platform: h.doc.Provider.Name, Method: "api_export", Extractor: Version,
		Evidence: []normalize.Evidence{{
			Conversation: h.doc.ID, Message: m.ID, ObservedAt: when, AccountID: h.doc.Provider.AccountID,
			Listing: listing("chatgpt", h.doc.Provider.AccountID, list), ListedAt: when,
		}},
	})
}
