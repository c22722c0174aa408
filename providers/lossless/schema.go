// Package lossless divides a provider's JSON element between the fields of a PAM document and
// raw_metadata so that nothing is lost and little is kept twice, and puts the element together
// again.
//
// An importer describes its format once, as a [Schema]: which field of the document has the value
// at which place of the source. With a [Builder] it then fills the document as it likes.
// [Builder.Finish] compares: a value of the source that the document's field gives back exactly is
// taken out of the source, everything else stays in raw_metadata under "source" as it was. What the
// rules alone would not put back is noted under "restore". So the inverse, [Schema.Restore], needs
// no code of the importer, and an importer that maps badly loses nothing: it only keeps more.
//
//	raw_metadata of a conversation or message
//	  "source"   what is left of the source object: names, nulls and number lexemes as they were
//	  "restore"  {"except": […], "others": {…}, "twins": {…}, "of": "…", "key": "…", "at": n, "order": {…}, "escrow": […]}
//	  anything else is the importer's own and only for readers
package lossless

import "sync"

// Slot is a place in the document.
type Slot int

// The slots of a conversation. Messages* name the container of the message objects.
const (
	ConversationID Slot = iota + 1 // provider.conversation_id
	Title                          // title
	Created                        // temporal.created_at; on messages: created_at
	Updated                        // temporal.updated_at
	Model                          // model, of the conversation or of the message
	System                         // system_instruction
	Archived                       // is_archived: Form Flag
	Account                        // provider.account_id

	// MessageList is an array whose objects are messages, in the order of the document; "" is the
	// element itself.
	MessageList
	// MessageMap is an object whose values are messages by id.
	MessageMap
)

// The slots of a source object that messages were made of. The first group have one value, that of
// the object's primary message; the second have a value for each part, call, … of all messages of
// the object, in the order of the document.
const (
	ID       Slot = iota + 100 // the id of the object: provider_message_id of its primary message, else id
	Role                       // role
	Parent                     // the id of the object that the first message's parent was made of
	Children                   // the ids of the objects of the children, as an array
	Nested                     // the children themselves, as an array of objects
	Tokens                     // token_count
	Joined                     // the texts of its messages, one behind the other: see Object.JoinAll

	Text           // texts of content and its parts
	Language       // language of code parts
	AttachName     // attachments[].name
	AttachID       // attachments[].provider_id
	AttachMime     // attachments[].mime_type
	AttachSize     // attachments[].size_bytes
	CiteURL        // citations[].url
	CiteTitle      // citations[].title
	CiteSnippet    // citations[].snippet
	ToolID         // tool_calls[].id
	ToolName       // tool_calls[].name
	ToolInput      // tool_calls[].input, as the JSON value
	ToolOutput     // tool_calls[].output
	MessageModel   // model of each message
	MessageCreated // created_at of each message
)

// Rule says that the value at Path of the source is the document's Slot, written in Form. Path is a
// JSON pointer whose segments may be
//
//   - every element of an array, every value of an object
//     [type=text]   the elements of an array whose field type is the string text
//     [type=]       the elements of an array that have no field type
//     [type!=a|b]   the elements of an array whose field type is neither of the strings a and b
//     [type!=]      the elements of an array that have a field type
//
// The places of a sequence (Text …), of all its rules, are walked in the order of the source, and
// best have its values one after the other; another order is noted.
type Rule struct {
	Path string
	Slot Slot
	Form Form // zero: a JSON string
	// Rank orders the places of a sequence before anything else: those of a lower rank are walked
	// first. It is for fields that stand side by side while the document has all values of one
	// before those of the other.
	Rank int
}

// Schema is the mapping of one format in one version. It is immutable once it is used, and must
// never change once it is released: documents hold only what the schema does not say.
type Schema struct {
	Conversation []Rule
	Message      []Rule
	// Fields are the keys of a conversation, and MessageFields those of a message object, that are
	// known without being mapped. An object with any other key is counted as an unknown variant.
	// Nil means that any key may be there.
	Fields, MessageFields []string

	once                  sync.Once
	conversation, message *ruleSet
}
