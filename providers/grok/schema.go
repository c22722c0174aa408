package grok

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// form is what the responses of a conversation look like.
type form struct {
	id       string // the key of a response's id, "" for none
	flat     bool   // without the object "response" around
	thoughts bool   // with the key thinking_trace
	parents  bool   // with the key parent_response_id
}

// generations are the names of the forms by the key of the id, in the order in which keys are
// looked for.
var generations = []struct{ id, name string }{{"_id", "2026"}, {"response_id", "2025-06"}, {"id", "id"}, {"", "nameless"}}

// String is the name in documents; it never changes.
func (f form) String() string {
	i := slices.IndexFunc(generations, func(g struct{ id, name string }) bool { return g.id == f.id })
	name := generations[i].name
	if f.flat {
		name += "-flat"
	}
	switch {
	case !f.thoughts && !f.parents:
		name += "-minimal"
	case !f.thoughts:
		name += "-plain"
	case !f.parents:
		name += "-linear"
	}
	return name
}

// schemas are all forms by name.
var schemas = func() lossless.Schemas {
	out := lossless.Schemas{}
	for _, g := range generations {
		for bits := range 8 {
			f := form{g.id, bits&1 != 0, bits&2 != 0, bits&4 != 0}
			out[f.String()] = f.schema()
		}
	}
	return out
}()

// recognize tells the form by the first response that is an object; without one, by the
// conversation.
func recognize(conversation, responses jsonscan.Node) form {
	for r := range responses.Items() {
		if r.Kind() != jsonscan.Object {
			continue
		}
		f := form{flat: r.Get("response").Kind() != jsonscan.Object}
		body := body(r)
		for _, g := range generations {
			if body.Get(g.id).Kind() == jsonscan.String && g.id != "" {
				f.id = g.id
				break
			}
		}
		f.thoughts = body.Get("thinking_trace").Exists()
		f.parents = body.Get("parent_response_id").Exists()
		return f
	}
	f := form{id: "_id", thoughts: true, parents: true}
	if conversation.Get("conversation_id").Exists() && !conversation.Get("id").Exists() {
		f.id = "response_id"
	}
	return f
}

// body is a response without the object around it.
func body(r jsonscan.Node) jsonscan.Node {
	if inner := r.Get("response"); inner.Kind() == jsonscan.Object {
		return inner
	}
	return r
}

// senders are the roles by Grok's names. Other senders are names of models.
var senders = lossless.Roles("user", "human", "assistant", "ASSISTANT", "assistant", "assistant", "user", "user", "assistant", "grok")

// Ranks of the texts and attachments of a response: the document has all of a lower rank before
// those of a higher one.
const (
	rankTrace = iota
	rankAgents
	rankSteps
	rankAnswer
)

func (f form) schema() *lossless.Schema {
	at := "/response"
	if f.flat {
		at = ""
	}
	when := lossless.ISO
	switch f.id {
	case "_id":
		when = numberLong
	case "response_id":
		when = lossless.ISOMicros
	}
	rules := []lossless.Rule{
		{Path: at + "/sender", Slot: lossless.Role, Form: senders},
		{Path: at + "/create_time", Slot: lossless.Created, Form: when},
		{Path: at + "/model", Slot: lossless.Model},
		{Path: at + "/message", Slot: lossless.Text, Rank: rankAnswer},
		{Path: at + "/agent_thinking_traces/*/thinking_trace", Slot: lossless.Text, Rank: rankAgents},
		{Path: at + "/steps/*/tagged_text", Slot: lossless.Text, Rank: rankSteps},
		{Path: at + "/steps/*/tagged_text/header", Slot: lossless.Text, Rank: rankSteps},
		{Path: at + "/steps/*/tagged_text/summary", Slot: lossless.Text, Rank: rankSteps},
		{Path: at + "/cited_web_search_results/*/url", Slot: lossless.CiteURL},
		{Path: at + "/cited_web_search_results/*/title", Slot: lossless.CiteTitle},
		{Path: at + "/cited_web_search_results/*/preview", Slot: lossless.CiteSnippet},
	}
	for rank, list := range attachmentLists {
		rules = append(rules, lossless.Rule{Path: at + "/" + list.key + "/*", Slot: lossless.AttachID, Rank: rank})
	}
	if f.id != "" {
		rules = append(rules, lossless.Rule{Path: at + "/" + f.id, Slot: lossless.ID})
	}
	if f.thoughts {
		rules = append(rules, lossless.Rule{Path: at + "/thinking_trace", Slot: lossless.Text, Rank: rankTrace})
	}
	if f.parents {
		rules = append(rules, lossless.Rule{Path: at + "/parent_response_id", Slot: lossless.Parent, Form: lossless.StringOrNull})
	}
	s := &lossless.Schema{
		Conversation: []lossless.Rule{
			{Path: "/conversation/title", Slot: lossless.Title},
			{Path: "/conversation/create_time", Slot: lossless.Created, Form: lossless.ISOMicros},
			{Path: "/conversation/modify_time", Slot: lossless.Updated, Form: lossless.ISOMicros},
			{Path: "/conversation/user_id", Slot: lossless.Account},
			{Path: "/conversation/id", Slot: lossless.ConversationID},
			{Path: "/conversation/conversation_id", Slot: lossless.ConversationID},
			{Path: "/responses", Slot: lossless.MessageList},
		},
		Message: rules,
		Fields:  []string{"conversation"},
	}
	if !f.flat {
		s.MessageFields = []string{"response", "share_link"}
	}
	return s
}

// numberLong is a time as MongoDB's extended JSON has it: {"$date":{"$numberLong":"<milliseconds
// since 1970>"}}.
var numberLong = lossless.Form{
	Write: func(dst []byte, value string) ([]byte, bool) {
		out, ok := lossless.Millis.Write(nil, value)
		if !ok {
			return dst, false
		}
		return append(append(append(dst, `{"$date":{"$numberLong":"`...), out...), `"}}`...), true
	},
	Read: lossless.Millis.Read,
}

// The keys that are known inside a conversation and a response. Others are counted.
var (
	knownConversation = words(`id conversation_id user_id anon_user_id create_time modify_time system_prompt_id temporary
		leaf_response_id title summary asset_ids root_asset_id x_user_id starred system_prompt_name media_types controller
		task_result_id team_id shared_with_team shared_with_user_ids workspace_id`)
	knownResponse = words(`id _id response_id conversation_id message sender create_time parent_response_id manual partial
		shared query query_type web_search_results cited_web_search_results xpost_ids generated_image_urls debug_log
		image_attachments file_attachments card_attachments_json is_control thinking_trace agent_thinking_traces steps
		image_edit_uri xai_user_id xai_anon_user_id error media_types webpage_urls metadata model thinking_start_time
		thinking_end_time share_link response`)
)

func words(s string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(s) {
		out[w] = true
	}
	return out
}

func countUnknown(b *lossless.Builder, n jsonscan.Node, known map[string]bool) {
	for k := range n.Fields() {
		if key := k.Str(); !known[key] && !normalize.IsRenamed(key) {
			b.Unknown("unknown_key")
		}
	}
}
