package chatgpt

// The keys of ours in raw_metadata. Derived ones can be made again from the rest; Restore does not
// look at them.
const (
	keyAbsent    = "absent"               // keys that the source does not have, see shape.go
	keyTimeFrom  = "created_at_source"    // where created_at comes from when not from create_time
	keyInherited = "created_at_inherited" // the time that was found there: while created_at is this one, it was not edited
	keyShadowed  = "shadowed"             // source keys with the name of one of ours
	keyConflicts = "conflicts"            // written by the fold of several snapshots
	keyFeedback  = "feedback"             // joined from message_feedback.json; not part of the element

	// Conversation level.
	keyStructural = "structural_nodes"  // mapping entries without a message, verbatim by node key
	keyDangling   = "dangling_children" // names in lists of children that no node has
	keyVerbatim   = "verbatim"          // what a document cannot hold, see package normalize, Escrow
	keyShared     = "shared_links"      // joined from shared_conversations.json; not part of the element
	keyQuirks     = "import_quirks"     // how the source had to be read
	keyFolded     = "folded"            // written by the fold: true where several snapshots made the document
	keySynthetic  = "synthetic_id"      // true: the source has no id; it is the digest of the element

	// Message level.
	keyNode       = "node"            // mapping entry beside its message: id, parent, children where they differ, unknown keys
	keyRole       = "original_role"   // author.role where PAM has another name for it
	keyTextFrom   = "text_from"       // where the content parts come from, see slots.go
	keyModelFrom  = "model_from"      // the metadata key of the model when it is not model_slug
	keyCiteFrom   = "citation_from"   // where the citations come from, see citations.go
	keyUnlisted   = "unlisted"        // true: the parent's list of children leaves this node out
	keyInputStyle = "input_style"     // how the text of tool_calls[0].input was spaced
	keyResults    = "tool_result_ids" // derived: the messages that answer a tool call
)

var conversationKeys = map[string]bool{
	keyAbsent: true, keyTimeFrom: true, keyInherited: true, keyShadowed: true, keyConflicts: true, keyFeedback: true,
	keyStructural: true, keyDangling: true, keyVerbatim: true, keyShared: true, keyQuirks: true, keySynthetic: true, keyFolded: true,
}

var messageKeys = map[string]bool{
	keyAbsent: true, keyTimeFrom: true, keyInherited: true, keyShadowed: true, keyConflicts: true, keyFeedback: true,
	keyNode: true, keyRole: true, keyTextFrom: true, keyModelFrom: true, keyCiteFrom: true, keyUnlisted: true,
	keyInputStyle: true, keyResults: true,
}
