package normalize

import "strings"

// Candidate is a memory with its evidence, not yet resolved into a store. Its JSON form is one line
// of a candidates file and of `pamline extract`.
type Candidate struct {
	// Act is what the candidate does: "" states its content; the Act… constants do something else.
	Act        string   `json:"act,omitempty"`
	Type       string   `json:"type"`
	CustomType string   `json:"custom_type,omitempty"`
	Content    string   `json:"content"`
	Confidence float64  `json:"confidence"`
	Decay      string   `json:"decay_model,omitempty"`
	Tags       []string `json:"tags,omitempty"`
	Language   string   `json:"language,omitempty"`
	Platform   string   `json:"platform"`
	Method     string   `json:"extraction_method"`
	Extractor  string   `json:"extractor"`
	// Rule is what found it inside the extractor: a family of patterns ("identity.name"), or the
	// model that answered.
	Rule string `json:"rule,omitempty"`
	// Slot is what of the person it tells, in a form that can be compared; nil when that is not
	// known.
	Slot *Slot `json:"slot,omitempty"`
	// Negative tells that the content denies: "does not eat meat".
	Negative bool `json:"negative,omitempty"`
	// Inferred tells that the person did not say it in so many words.
	Inferred bool `json:"inferred,omitempty"`
	// EventTime is when what it tells of happened or will happen: a date (2024-03-09), a month
	// (2024-03) or a year (2024) where code resolved it, else as it was said; "" when that was not
	// said.
	EventTime string `json:"event_time,omitempty"`
	// ValidFrom and ValidUntil bound the time in which the content holds, RFC 3339 UTC; "" when no
	// bound is known. What is valid until a time that the owner's data has passed is no longer
	// active.
	ValidFrom  string `json:"valid_from,omitempty"`
	ValidUntil string `json:"valid_until,omitempty"`
	// Event tells that the content is something that happened ("Divorced in January 2024."): it
	// stays true, and only an Ending of the attribute of the event ends it (IsEvent).
	Event bool `json:"event,omitempty"`
	// Ends are what is over by what the candidate says. What they name and was said before is
	// superseded by the candidate's memory; with ActRetract it is retracted.
	Ends []Ending `json:"ends,omitempty"`
	// Entities are the people and animals that the content names.
	Entities []Entity `json:"entities,omitempty"`
	// Sensitive names a special category of personal data ("health", "religion", …), "" for none.
	Sensitive string `json:"sensitive,omitempty"`
	// DerivedFrom are the ids of memories (MemoryID) that this one was inferred from.
	DerivedFrom []string   `json:"derived_from,omitempty"`
	Evidence    []Evidence `json:"evidence"`
	// Element is the canonical JSON of what ActAdopt adds to the store; nil for other acts.
	Element []byte `json:"element,omitempty"`
}

// IsEvent tells whether an attribute is that of something that happened: event.love_engaged. A
// later step of a life that says so takes the place of such an event: a wedding that of the
// engagement.
func IsEvent(attribute string) bool { return strings.HasPrefix(attribute, "event.") }

// What a candidate can do beside stating its content.
const (
	// ActRetract takes back: what has the same slot and value, or the same type and content, or is
	// named by Ends, and was said before, holds no more. Content may be empty when there are Ends.
	// ValidUntil is when it stopped to hold, "" when it is to be forgotten as if it had never been
	// said.
	ActRetract = "retract"
	// ActListing says that a list of everything that a provider remembers was seen
	// (Evidence.Listing), so that what an earlier list had and this one has not is gone from it.
	// Content is empty.
	ActListing = "listing"
	// ActForbid says that the conversation of the evidence is not to be remembered: what else is
	// found in it makes no memory. Content is empty.
	ActForbid = "forbid"
	// ActAdopt adds an element of another PAM store as it is (Element). Type is one of the Adopt…
	// constants; the evidence is of the time that the element is of, and ListedAt is the export_date
	// of its store, Listing its export_id. Content is empty.
	ActAdopt = "adopt"
)

// What ActAdopt adds: elements of the collections of a store and of its embeddings file.
const (
	AdoptMemory       = "memory"
	AdoptRelation     = "relation"
	AdoptConversation = "conversation" // an entry of conversations_index
	AdoptEmbedding    = "embedding"
)

// Slot is one thing that can be told of a person, with what was told.
type Slot struct {
	// Attribute names the thing, for example "residence", "name", "likes", "pet.name". Dots and
	// lower case, no language.
	Attribute string `json:"attribute"`
	// Value is what was told, folded so that equal values are equal texts (FoldValue).
	Value string `json:"value"`
	// One tells that there is one value at a time: a later one takes the place of an earlier one.
	// It is so for every attribute of IsOneValued, whoever made the slot.
	One bool `json:"one,omitempty"`
	// Beside tells that the value holds beside others although there is one at a time otherwise
	// ("also", "part-time", "my second job"): it neither takes a place nor loses it to a later
	// value.
	Beside bool `json:"beside,omitempty"`
}

// Ending names memories that something ends or takes back. Fields that are not empty must all hold.
type Ending struct {
	// Attribute is that of their slot; "uses.*" is any attribute below uses, "!diet" that of a
	// denial ("Does not eat meat."), and "entity.wife" names memories that name a wife, with her
	// name as the value.
	Attribute string `json:"attribute,omitempty"`
	// Value is that of their slot: one of both has all words of the other. With "" any value is
	// meant, but none that was said at the same time.
	Value string `json:"value,omitempty"`
	// Name is words that their content has, one after the other: a person, an animal, a company.
	Name string `json:"name,omitempty"`
}

// Entity is a person or an animal with what they are to the owner.
type Entity struct {
	Name     string `json:"name"`
	Relation string `json:"relation,omitempty"` // in English, as in the attributes: wife, friend, dog
}

// Evidence says where a candidate was said or kept. Spans of a message count code points of its
// text (pamio.Message.PlainText); evidence of a record has Member and Pointer instead.
type Evidence struct {
	Conversation string `json:"conversation,omitempty"`
	Message      string `json:"message,omitempty"`
	Start        int    `json:"start"`
	End          int    `json:"end"`
	Quote        string `json:"quote,omitempty"`
	// Member is the archive member of the record, Pointer the JSON pointer (RFC 6901) inside the
	// unit that held it.
	Member  string `json:"member,omitempty"`
	Pointer string `json:"pointer,omitempty"`
	// ObservedAt is when it was said or recorded, RFC 3339 UTC; "" when nowhere known.
	ObservedAt string `json:"observed_at,omitempty"`
	// AsOf tells that ObservedAt is the time of the archive that a record stood in, not when it was
	// written: what is known to have been said at any time is newer.
	AsOf bool `json:"as_of,omitempty"`
	// AccountID is the provider's account the unit belongs to.
	AccountID string `json:"account_id,omitempty"`
	// Listing names the list of a provider that the record stands in, "" for none. ListedAt is of
	// what time the list is when it is there as a whole, RFC 3339 UTC; without it the record was
	// only added to the list, at ObservedAt. An item that an older list had, and the newest whole
	// one has not, is gone from it.
	Listing  string `json:"listing,omitempty"`
	ListedAt string `json:"listed_at,omitempty"`
}
