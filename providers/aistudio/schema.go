package aistudio

import (
	"slices"
	"strings"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/lossless"
)

// The forms of files, as export_format_version.
const (
	formPrompt  = "prompt"
	formSession = "session"
	formImagen  = "imagen"
	formList    = "chunk-list"
)

// The lists that messages stand in.
const (
	pathChunks  = "/chunkedPrompt/chunks"
	pathPending = "/chunkedPrompt/pendingInputs"
	pathRoot    = "/pendingInputs"
	pathTurns   = "/imagenPrompt/imagenTurns"
)

// model is a model's name; the source has the kind of resource before it.
var model = lossless.Form{
	Write: func(dst []byte, v string) ([]byte, bool) { return lossless.String.Write(dst, modelPrefix+v) },
	Read: func(n jsonscan.Node) (string, bool) {
		return strings.TrimPrefix(n.Str(), modelPrefix), n.Kind() == jsonscan.String
	},
}

const modelPrefix = "models/"

// fileKeys are the keys of a chunk that hold files, and the type of attachment each is; "" is told
// by its media type. A linked one is on the web.
var fileKeys = []struct {
	key, kind string
	linked    bool
}{
	{"driveDocument", "document", false}, {"driveImage", "image", false}, {"driveVideo", "video", false}, {"driveAudio", "audio", false},
	{"youtubeVideo", "video", true}, {"inlineFile", "", false}, {"inlineImage", "image", false}, {"inlineData", "", false},
}

var (
	settings = []lossless.Rule{
		{Path: "/id", Slot: lossless.ConversationID},
		{Path: "/displayName", Slot: lossless.Title},
		{Path: "/title", Slot: lossless.Title},
		{Path: "/createTime", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/updateTime", Slot: lossless.Updated, Form: lossless.ISO},
		{Path: "/runSettings/model", Slot: lossless.Model, Form: model},
		{Path: "/systemInstruction/text", Slot: lossless.System},
		{Path: "/systemInstruction/parts/*/text", Slot: lossless.System},
	}
	chunk = []lossless.Rule{
		{Path: "/role", Slot: lossless.Role, Form: lossless.Roles("user", "user", "assistant", "model")},
		{Path: "/createTime", Slot: lossless.Created, Form: lossless.ISO},
		{Path: "/tokenCount", Slot: lossless.Tokens},
		{Path: "/text", Slot: lossless.Text},
		{Path: "/parts/*/text", Slot: lossless.Text},
		{Path: "/executableCode", Slot: lossless.ToolInput},
		{Path: "/parts/*/executableCode", Slot: lossless.ToolInput},
		{Path: "/codeExecutionResult/output", Slot: lossless.Text},
		{Path: "/parts/*/codeExecutionResult/output", Slot: lossless.Text},
		{Path: "/grounding/groundingSources/*/uri", Slot: lossless.CiteURL},
		{Path: "/grounding/groundingSources/*/title", Slot: lossless.CiteTitle},
		{Path: "/grounding/groundingChunks/*/web/uri", Slot: lossless.CiteURL},
		{Path: "/grounding/groundingChunks/*/web/title", Slot: lossless.CiteTitle},
		{Path: "/driveDocument/id", Slot: lossless.AttachID},
		{Path: "/driveDocument/name", Slot: lossless.AttachName},
		{Path: "/driveDocument/mimeType", Slot: lossless.AttachMime},
		{Path: "/driveDocument/sizeBytes", Slot: lossless.AttachSize, Form: lossless.String},
		{Path: "/driveImage/id", Slot: lossless.AttachID},
		{Path: "/driveVideo/id", Slot: lossless.AttachID},
		{Path: "/driveAudio/id", Slot: lossless.AttachID},
		{Path: "/youtubeVideo/id", Slot: lossless.AttachID},
		{Path: "/inlineFile/mimeType", Slot: lossless.AttachMime},
		{Path: "/inlineImage/mimeType", Slot: lossless.AttachMime},
		{Path: "/parts/*/inlineData/mimeType", Slot: lossless.AttachMime},
	}
	turn = []lossless.Rule{{Path: "/prompt", Slot: lossless.Text}}

	fields      = []string{"runSettings", "systemInstruction", "chunkedPrompt", "imagenPrompt", "pendingInputs", "citations", "applets"}
	chunkFields = []string{
		"id", "isThought", "thinkingBudget", "thoughtSignature", "thoughtSignatures", "finishReason", "isEdited", "branchParent", "branchChildren",
		"videoMetadata", "safetyRatings", "errorMessage", "grounding", "inlineData",
	}
)

// schemas are those of the forms.
var schemas = map[string]*lossless.Schema{
	formPrompt:  schemaWith(chunk, pathChunks, pathPending, pathRoot),
	formSession: schemaWith(slices.Concat([]lossless.Rule{{Path: "/id", Slot: lossless.ID}}, chunk), pathChunks, pathPending, pathRoot),
	formImagen:  schemaWith(turn, pathTurns),
	formList:    {Conversation: []lossless.Rule{{Path: "", Slot: lossless.MessageList}}, Message: chunk, MessageFields: chunkFields},
}

func schemaWith(message []lossless.Rule, lists ...string) *lossless.Schema {
	s := &lossless.Schema{Conversation: slices.Clone(settings), Message: message, Fields: fields, MessageFields: chunkFields}
	for _, path := range lists {
		s.Conversation = append(s.Conversation, lossless.Rule{Path: path, Slot: lossless.MessageList})
	}
	if lists[0] == pathTurns {
		s.MessageFields = nil // turns are not known well enough to tell what is new
	}
	return s
}

// schemaOf gives the schema of a form; a form that nobody has written has no messages in it.
func schemaOf(form string) *lossless.Schema {
	if s := schemas[form]; s != nil {
		return s
	}
	return schemas[formPrompt]
}
