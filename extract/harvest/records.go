package harvest

import (
	"cmp"
	"strings"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/restate"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// Codes of the records beside the conversations that give no candidate.
const (
	SkipFeedback    = "feedback"       // what was thought of an answer says nothing about the person
	SkipSetting     = "setting"        // how a program is set up
	SkipStarter     = "starter"        // a project that the provider made for everybody
	SkipUnknownKind = "unknown-record" // of a kind that this version does not know
)

// inferred is the confidence of statements cut from a document: a provider wrote such a summary,
// and may have guessed.
const inferred = 0.7

var _ extract.RecordExtractor = Extractor{}

// ExtractRecord harvests one record.
//
//   - A memory gives a candidate for each of its statements, of the kind that its first words tell.
//   - So does a profile; what it says of name, age, place and the like is identity.
//   - An instruction is a candidate for each sentence that can be understood by itself, else one as
//     a whole.
//   - A project gives its name with its description, and its instructions, with the name as a tag.
//     Its documents are the person's files, not memories of the person.
//   - An assistant that the person made gives its instructions. They are an instruction and not a
//     skill (PAM §5): a skill is what the person can do, and these say how to answer. They hold for
//     that assistant only, often for a part that it plays, so that its name stands before them.
func (Extractor) ExtractRecord(r *extract.Record) ([]normalize.Candidate, extract.Report) {
	h := recordHarvester{r: r}
	h.report.Records = 1
	switch r.Kind {
	case extract.RecordMemory:
		h.statements(kindOf)
	case extract.RecordProfile:
		h.statements(profileKind)
	case extract.RecordInstruction:
		h.instruction()
	case extract.RecordProject:
		h.project()
	case extract.RecordAssistant:
		h.assistant()
	case extract.RecordFeedback:
		h.skip(SkipFeedback)
	case extract.RecordSetting:
		h.skip(SkipSetting)
	default:
		h.skip(SkipUnknownKind)
	}
	if len(h.found) == 0 && len(h.report.Skipped) == 0 {
		h.skip(SkipEmpty)
	}
	if c, ok := listed(r); ok && len(h.found) == 0 {
		h.found = append(h.found, c)
	}
	return h.found, h.report
}

// recordHarvester collects the candidates of one record.
type recordHarvester struct {
	r      *extract.Record
	found  []normalize.Candidate
	report extract.Report
}

func (h *recordHarvester) skip(code string) { h.report.Skip(code) }

// add makes a candidate; no text is none, nor is one that the gate holds back, which is counted.
// below leads from the record to the text, inside the source.
func (h *recordHarvester) add(kind, text string, confidence float64, below string, tags []string) *normalize.Candidate {
	if text == "" {
		return nil
	}
	if len(text) > maxContent {
		h.skip(SkipLong)
		return nil
	}
	c := h.base(confidence, below, tags)
	c.Type, c.Content, c.Decay = kind, text, decay[kind]
	if !screen(&c, &h.report) {
		return nil
	}
	h.found = append(h.found, c)
	return &h.found[len(h.found)-1]
}

// base is what the candidates of the record share.
func (h *recordHarvester) base(confidence float64, below string, tags []string) normalize.Candidate {
	return normalize.Candidate{
		Confidence: confidence, Tags: tags, Platform: h.r.Provider, Method: method(h.r), Extractor: Version,
		Evidence: []normalize.Evidence{{
			Pointer: h.r.Pointer + below, ObservedAt: cmp.Or(h.r.UpdatedAt, h.r.CreatedAt), AccountID: h.r.AccountID,
			Listing: recordListing(h.r),
		}},
	}
}

// statements makes candidates of each statement of the text.
func (h *recordHarvester) statements(kind func(string) string) {
	list := statements(h.r.Text)
	if len(list) > maxStatements {
		h.skip(SkipMany)
		return
	}
	sure := confidence
	if len(list) > 1 {
		sure = inferred
	}
	f := newFacts(kind, &h.report, h.owner(list))
	for _, s := range list {
		if isRetraction(s.text) {
			h.skip(SkipRetraction)
			continue
		}
		if len(s.text) > maxContent {
			h.skip(SkipLong)
			continue
		}
		base := h.base(sure, "", append(h.titleTag(), tagsOf(s.headings)...))
		if s.date != "" {
			base.Evidence[0].ObservedAt = s.date
		}
		f.read(s.text, base, s.headings)
	}
	h.found = append(h.found, f.found...)
}

// instruction makes candidates of what the person told the provider to do always. A file of rules
// is one, for its parts lean on each other.
func (h *recordHarvester) instruction() {
	text := strings.TrimSpace(h.r.Text)
	if text == "" || h.r.Title != "" {
		h.add(instructionKind, text, confidence, "", h.titleTag())
		return
	}
	if len(text) > maxContent {
		h.skip(SkipLong)
		return
	}
	f := newFacts(instructionOnly, &h.report, nil)
	f.answers(text, h.base(confidence, "", nil))
	h.found = append(h.found, f.found...)
}

// owner gives the names by which a summary calls the person. A memory of its own may begin with
// anybody's name.
func (h *recordHarvester) owner(list []statement) []string {
	var all []string
	for _, s := range list {
		all = append(all, sentencesOf(s.text)...)
	}
	if h.r.Kind != extract.RecordMemory || h.r.Provider != "claude" && len(all) < 2 {
		return nil
	}
	return restate.Owner(tables, all)
}

// profileKind is the kind of a statement about who somebody is: "Name: Anna" as well as "User's
// name is Anna".
func profileKind(text string) string {
	words := leadingWords(text)
	for _, r := range kindRules {
		if r.kind != "identity" {
			continue
		}
		for _, n := range r.nouns {
			if _, ok := cutPhrase(words, n); ok {
				return r.kind
			}
		}
	}
	return kindOf(text)
}

// The keys of a source under which projects and assistants have what they are about, and how to
// answer.
var (
	descriptionKeys = []string{"description"}
	instructionKeys = []string{"prompt_template", "instructions", "custom_instructions", "custom_personality", "system_prompt", "preferred_instructions"}
)

func (h *recordHarvester) project() {
	raw := h.raw()
	if raw.Get("is_starter_project").True() {
		h.skip(SkipStarter)
		return
	}
	about, aboutKey := textAt(raw, descriptionKeys)
	orders, ordersKey := textAt(raw, instructionKeys)
	text := strings.TrimSpace(h.r.Text)
	if about == "" && text != orders {
		about, aboutKey = text, ""
	}
	if title := strings.TrimSpace(h.r.Title); title != "" || about != "" {
		h.add("project", scoped(title, about), confidence, aboutKey, nil)
	}
	if orders != "" {
		h.add("instruction", orders, confidence, ordersKey, h.titleTag())
	}
}

func (h *recordHarvester) assistant() {
	orders, key := textAt(h.raw(), instructionKeys)
	if orders == "" {
		orders = strings.TrimSpace(h.r.Text)
	}
	if orders != "" {
		h.add("instruction", scoped(h.r.Title, orders), confidence, key, h.titleTag())
	}
}

// titleTag is the record's name as a tag. Of a file's name the ending says nothing.
func (h *recordHarvester) titleTag() []string {
	title := h.r.Title
	for _, ending := range []string{".md", ".txt", ".json"} {
		title = strings.TrimSuffix(title, ending)
	}
	return tagsOf([]string{title})
}

func (h *recordHarvester) raw() jsonscan.Node {
	if len(h.r.Raw) == 0 {
		return jsonscan.Node{}
	}
	d, err := jsonscan.Parse(h.r.Raw, 0)
	if err != nil {
		return jsonscan.Node{} // nested deeper than anything that is looked for
	}
	return d.Root()
}

// textAt gives the first text under one of the keys of an object, and the pointer to it.
func textAt(n jsonscan.Node, keys []string) (text, pointer string) {
	for _, key := range keys {
		if text = strings.TrimSpace(n.Get(key).Str()); text != "" {
			return text, "/" + key
		}
	}
	return "", ""
}

// scoped puts the name of what a text belongs to before it.
func scoped(name, text string) string {
	name, text = strings.TrimSpace(name), strings.TrimSpace(text)
	if name == "" || text == "" {
		return name + text
	}
	return name + ": " + text
}

// tagsOf makes tags of headings (PAM §4.3); a heading in letters that tags do not have gives none.
func tagsOf(headings []string) []string {
	const most = 40
	var tags []string
	for _, h := range headings {
		var b strings.Builder
		gap := false
		for _, r := range strings.ToLower(h) {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') {
				gap = b.Len() > 0
				continue
			}
			if gap {
				b.WriteByte('-')
				gap = false
			}
			b.WriteRune(r)
		}
		tag := b.String()
		if len(tag) > most {
			tag = strings.TrimRight(tag[:most], "-")
		}
		if tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// method is how the record was taken (PAM §11): the answer of a memory prompt was copied by hand,
// all else is in an export.
func method(r *extract.Record) string {
	if r.Provider == "manual" || strings.HasPrefix(r.Pointer, "line/") { // a line of a text that was saved by hand
		return "manual"
	}
	return "api_export"
}
