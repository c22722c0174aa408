package codex

import (
	"bytes"
	"context"
	"regexp"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/normalize"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// Kinds of the lines of codex-exec that carry an item.
const (
	kindStarted   = "item.started"
	kindUpdated   = "item.updated"
	kindCompleted = "item.completed"
)

// threadEvents are the types of the lines of codex-exec.
var threadEvents = map[string]bool{
	"thread.started": true, "turn.started": true, "turn.completed": true, "turn.failed": true,
	kindStarted: true, kindUpdated: true, kindCompleted: true,
}

// streamTypes are the types of envelopes by which one without a timestamp is recognized.
var streamTypes = map[string]bool{"session_meta": true, "response_item": true, "turn_context": true, "event_msg": true, "compacted": true}

// isThreadEvent tells whether the next line is one of codex-exec.
func (l *log) isThreadEvent(line jsonscan.Node) bool {
	t := line.Get("type")
	return threadEvents[t.Str()] || l.generation == genExec && t.Is("error") && line.Get("message").Kind() == jsonscan.String
}

// isPrintedEvent tells whether a line is one of codex-events.
func isPrintedEvent(line jsonscan.Node) bool {
	return line.Get("msg").Get("type").Kind() == jsonscan.String ||
		line.Len() == 1 && line.Get("prompt").Kind() == jsonscan.String
}

// isSettings tells whether a line is the first one of codex-events, the settings of the run:
// {"model","workdir"} and others.
func isSettings(line jsonscan.Node) bool {
	return line.Get("model").Kind() == jsonscan.String && line.Get("workdir").Kind() == jsonscan.String && !line.Get("msg").Exists()
}

// streamed tells whether the lines of a member are those of a session without timestamps.
func streamed(ctx context.Context, m archive.Member, s importer.Shape, peek importer.Peeker) (bool, error) {
	if s.Top != '{' || s.Wrapper != "" || !s.At([]string{"[].", ""}, "type\"") && !s.At([]string{"[].", ""}, "msg.type\"") {
		return false, nil
	}
	prefix, err := peek.Prefix(ctx, m)
	if err != nil && len(prefix) == 0 {
		return false, ctx.Err() // what cannot be read is described as unclaimed
	}
	head := importer.HeadUTF8(prefix)
	for first := true; len(head) > 0; first = false {
		line, rest, whole := bytes.Cut(head, []byte{'\n'})
		head = rest
		if !whole && first {
			return cutEnvelope.Match(line), nil
		}
		d, err := jsonscan.Parse(bytes.TrimSpace(line), 0)
		if err != nil {
			continue
		}
		root := d.Root()
		t, payload, item := root.Get("type").Str(), root.Get("payload"), root.Get("item")
		switch {
		case streamTypes[t] && payload.Kind() == jsonscan.Object,
			t == "thread.started" && root.Get("thread_id").Exists(),
			strings.HasPrefix(t, "item.") && threadEvents[t] && item.Get("type").Exists(),
			root.Get("id").Exists() && printedTypes[root.Get("msg").Get("type").Str()]:
			return true, nil
		}
	}
	return false, nil
}

// cutEnvelope finds an envelope whose line is longer than what is looked at.
var cutEnvelope = regexp.MustCompile(`^\s*\{\s*"type"\s*:\s*"(session_meta|response_item)"\s*,\s*"payload"\s*:\s*\{`)

// printedTypes are types of messages by which codex-events is recognized.
var printedTypes = map[string]bool{
	"task_started": true, "task_complete": true, "agent_message": true, "agent_reasoning": true, "exec_command_begin": true,
	"exec_command_end": true, "token_count": true, "session_configured": true,
}

// noteCompleted notes which items are completed: an item that was only started is read from its
// start.
func (l *log) noteCompleted() {
	l.completed = map[string]bool{}
	for _, e := range l.entries {
		if e.kind == kindCompleted {
			l.completed[e.body.Get("id").Str()] = true
		}
	}
}

// threadEvent reads a line of codex-exec.
func (r *entryReader) threadEvent(completed map[string]bool) {
	switch r.e.kind {
	case kindCompleted:
		r.threadItem()
	case kindStarted:
		if !completed[r.e.body.Get("id").Str()] {
			r.threadItem()
		}
	case "turn.failed":
		r.plain(normalize.RoleSystem, r.e.line.Get("error").Get("message"))
	case "error":
		r.plain(normalize.RoleSystem, r.e.line.Get("message"))
	case kindUpdated, "thread.started", "turn.started", "turn.completed":
	default:
		r.b.Unknown("unknown_line")
	}
}

// threadItem reads an item of codex-exec.
func (r *entryReader) threadItem() {
	item := r.e.body
	switch item.Get("type").Str() {
	case "agent_message", "assistant_message":
		r.plain(normalize.RoleAssistant, item.Get("text"))
	case "reasoning":
		if m := r.plain(normalize.RoleAssistant, item.Get("text")); m != nil {
			m.IsThought = true
		}
	case "error":
		r.plain(normalize.RoleSystem, item.Get("message"))
	case "command_execution":
		r.threadCall(item.Get("command"))
		if out := item.Get("aggregated_output"); r.e.kind == kindCompleted || !out.Is("") {
			r.plain(normalize.RoleTool, out)
		}
	case "mcp_tool_call":
		r.threadCall(item.Get("arguments"))
		for part := range item.Get("result").Get("content").Items() {
			if part.Get("type").Is("text") {
				r.plain(normalize.RoleTool, part.Get("text"))
			}
		}
		r.plain(normalize.RoleTool, item.Get("error").Get("message"))
	case "web_search":
		r.threadCall(item.Get("query"))
	case "file_change":
		r.threadCall(jsonscan.Node{})
	case "todo_list":
	default:
		r.b.Unknown("unknown_item")
	}
}

// threadCall adds the call of a tool.
func (r *entryReader) threadCall(in jsonscan.Node) {
	item := r.e.body
	c := pamio.ToolCall{ID: item.Get("id").Str(), Name: item.Get("type").Str()}
	if tool := item.Get("tool"); tool.Kind() == jsonscan.String && !tool.Is("") {
		c.Name = tool.Str()
	}
	if k := in.Kind(); k == jsonscan.Object || k == jsonscan.String {
		c.Input = in.AppendCompact(nil)
	}
	m := r.add(normalize.RoleAssistant)
	m.ToolCalls = []pamio.ToolCall{c}
}

// printedEvent reads a line of codex-events.
func (r *entryReader) printedEvent() {
	if prompt := r.e.line.Get("prompt"); prompt.Kind() == jsonscan.String {
		r.plain(normalize.RoleUser, prompt)
		return
	}
	r.event()
}
