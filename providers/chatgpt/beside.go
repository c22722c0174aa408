package chatgpt

import (
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/providers/importer"
)

// Beside names the account of a conversation, of which no sidecar speaks: that is all that its
// document has from other members, if it names no files.
func (imp Importer) Beside(u importer.Unit, conversation string) (name string, ok bool) {
	j, _ := u.Context.(*joined)
	if u.Role != roleConversations || j == nil || j.spokenOf()[conversation] {
		return "", false
	}
	return j.accountOf(u.Member), true
}

// findSpokenOf gives the ids of the documents of which sidecars speak.
func (j *joined) findSpokenOf() map[string]bool {
	ids := map[string]bool{}
	for name := range j.feedback {
		ids[normalize.ConversationID(Provider, name)] = true
	}
	for name := range j.shared {
		ids[normalize.ConversationID(Provider, name)] = true
	}
	return ids
}
