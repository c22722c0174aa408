package copilotchat

import (
	"crypto/sha256"
	"encoding/hex"
	"strconv"

	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
	"github.com/pamline/pamline/providers/localapp"
	"github.com/pamline/pamline/providers/lossless"
)

// The rules of names are frozen: a session is named by its sessionId in the space
// local/vscode-chat, without one by the SHA-256 of the requestId and the message of its first
// request. The message of the person is named by requestId, those of the assistant
// "<requestId>#<n>".

// decodeElement makes the document of one session.
func decodeElement(u importer.Unit, src *lossless.Source) ([]importer.Item, error) {
	root := src.Root
	if root.Kind() != jsonscan.Object || root.Get("requests").Kind() != jsonscan.Array {
		return nil, lossless.Fail(u, lossless.CodeForeign, "the file has no list of requests")
	}
	format := formatObject
	if u.Role == roleLog {
		format = formatLog
	}
	b := localapp.New(schema, src, sourceApp, format)
	nameSession(b, root)
	if title := root.Get("customTitle"); len(title.Raw()) <= maxTitle {
		b.Title(title)
	}
	b.Created = b.Time(root.Get("creationDate"))
	b.Updated = b.Time(root.Get("lastMessageDate"))
	b.AddItems("/requests", "unknown_request", func(_ int, o *lossless.Object) {
		request := o.Node()
		r := requestReader{b: b, o: o, id: request.Get("requestId").Str()}
		r.read()
	})
	return localapp.Finish(b, nil)
}

// maxTitle bounds a title, in bytes of JSON.
const maxTitle = 2000

// nameSession names the conversation.
func nameSession(b *lossless.Builder, root jsonscan.Node) {
	if id := root.Get("sessionId"); id.Kind() == jsonscan.String && !id.Is("") {
		b.IDIn(localapp.Space(sourceApp), id.Str())
		return
	}
	for request := range root.Get("requests").Items() {
		key := request.Get("requestId").AppendCompact(nil)
		key = append(key, ' ')
		key = append(key, request.Get("message").AppendCompact(nil)...)
		sum := sha256.Sum256(key)
		b.DerivedID(localapp.Space(sourceApp), hex.EncodeToString(sum[:]))
		return
	}
	b.IDIn(localapp.Space(sourceApp), "")
}

// requestReader makes the messages of one request.
type requestReader struct {
	b    *lossless.Builder
	o    *lossless.Object
	id   string
	kind string // of the current message
	made []*lossless.Message
}

// Kinds of messages. A message of one kind goes on while pieces of its kind follow.
const (
	kindAnswer  = "answer"
	kindThought = "thought"
	kindWarning = "warning"
)

func (r *requestReader) read() {
	n := r.o.Node()
	asked := r.o.Add(r.id, "user")
	asked.Time = r.b.Time(n.Get("timestamp"))
	message := n.Get("message")
	if message.Kind() == jsonscan.Object {
		message = message.Get("text")
	}
	asked.TextOf(message)
	for piece := range n.Get("response").Items() {
		r.piece(piece)
	}
	for i, m := range r.made {
		if r.id != "" {
			m.ID = r.id + "#" + strconv.Itoa(i+1)
		}
	}
	if model := n.Get("modelId"); model.Kind() == jsonscan.String && len(r.made) > 0 {
		r.made[len(r.made)-1].Model = model.Str()
	}
	r.o.Primary(asked)
}

// message gives the current message if it is of the kind, else a new one.
func (r *requestReader) message(kind string) *lossless.Message {
	if n := len(r.made); n > 0 && r.kind == kind {
		return r.made[n-1]
	}
	role := "assistant"
	if kind == kindWarning {
		role = "system"
	}
	m := r.o.Add("", role)
	m.IsThought = kind == kindThought
	r.kind = kind
	r.made = append(r.made, m)
	return m
}

// silent are the kinds of pieces without words of the assistant.
var silent = map[string]bool{
	"inlineReference": true, "textEditGroup": true, "textEdit": true, "notebookEdit": true, "notebookEditGroup": true, "codeblockUri": true,
	"undoStop": true, "progressMessage": true, "progressTask": true, "progressTaskSerialized": true, "prepareToolInvocation": true,
	"command": true, "confirmation": true, "references": true, "reference": true, "codeCitation": true, "treeData": true,
	"mcpServersStarting": true, "elicitation": true, "elicitationSerialized": true, "extensions": true, "pullRequest": true, "multiDiffData": true,
	"multiDiff": true, "usedContext": true, "move": true, "agentDetection": true, "followup": true, "hook": true, "workspaceEdit": true,
	"questionCarousel": true, "toolInvocation": true, "externalToolInvocationUpdate": true, "disabledClaudeHooks": true,
}

func (r *requestReader) piece(p jsonscan.Node) {
	kind := p.Get("kind")
	switch {
	case p.Kind() == jsonscan.Object && !kind.Exists():
		r.text(kindAnswer, p.Get("value"))
	case kind.Is("markdownContent"), kind.Is("markdownVuln"):
		r.text(kindAnswer, p.Get("content").Get("value"))
	case kind.Is("warning"):
		r.text(kindWarning, p.Get("content").Get("value"))
	case kind.Is("thinking"):
		value := p.Get("value")
		r.text(kindThought, value)
		if value.Kind() == jsonscan.Array {
			for v := range value.Items() {
				r.text(kindThought, v)
			}
		}
	case kind.Is("toolInvocationSerialized"):
		r.call(p)
	case !silent[kind.Str()]:
		r.b.Unknown("unknown_piece")
	}
}

// text adds a text that is not empty.
func (r *requestReader) text(kind string, text jsonscan.Node) {
	if text.Kind() == jsonscan.String && !text.Is("") {
		r.message(kind).Text(text.Str())
	}
}

// call adds the call of a tool. What it showed stays in the piece.
func (r *requestReader) call(p jsonscan.Node) {
	id := p.Get("toolId")
	if id.Kind() != jsonscan.String || id.Is("") {
		r.b.Unknown("unknown_tool_call")
		return
	}
	c := pamio.ToolCall{ID: p.Get("toolCallId").Str(), Name: id.Str()}
	for _, in := range []jsonscan.Node{p.Get("toolSpecificData"), p.Get("resultDetails").Get("input")} {
		if k := in.Kind(); c.Input == nil && (k == jsonscan.Object || k == jsonscan.String) {
			c.Input = in.AppendCompact(nil)
		}
	}
	m := r.message(kindAnswer)
	m.ToolCalls = append(m.ToolCalls, c)
}
