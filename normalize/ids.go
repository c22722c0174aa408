package normalize

import "github.com/google/uuid"

// IDRules is the version of the rules in this file. They are frozen: a document that was named once
// keeps its name, however much better a later importer reads it. New rules get a new function and a
// new number.
const IDRules = 1

// conversationSpace is the UUIDv5 namespace of conversation ids.
var conversationSpace = uuid.MustParse("6f1d1a4e-3a57-5c0c-9b4d-7f2f1f0f8a61")

// ConversationID is the id of a conversation document: UUIDv5 over the provider's name (PAM §11.4)
// and the provider's own conversation id, with a NUL between them.
func ConversationID(provider, conversation string) string {
	return uuid.NewSHA1(conversationSpace, []byte(provider+"\x00"+conversation)).String()
}
