package codex

import (
	"github.com/pamline/pamline/pamio/jsonscan"
)

// log is a session as its lines have it.
type log struct {
	generation string
	container  string        // path of the list of lines
	head       jsonscan.Node // what the session says of itself; its zero value says nothing
	headAt     string        // pointer to it
	entries    []entry
	completed  map[string]bool // items of codex-exec that are completed
}

// entry is a line.
type entry struct {
	line jsonscan.Node
	kind string        // type of the envelope; "" for a bare item
	body jsonscan.Node // the payload, or the line itself
	item bool          // a response item
}

// readLog sorts the lines of a unit. old: as 2026.11 does.
func readLog(root jsonscan.Node, old bool) *log {
	l := &log{generation: genItems}
	bare := false // there is an item outside of an envelope
	lines := root
	if root.Kind() == jsonscan.Object {
		l.generation, l.container, l.head, l.headAt = genJSON, "/items", root.Get("session"), "/session"
		lines = root.Get("items")
	}
	for line := range lines.Items() {
		e := entry{line: line, body: line}
		switch payload := line.Get("payload"); {
		case !old && root.Kind() == jsonscan.Array && (l.generation == genExec || l.generation == genItems && !bare) && l.isThreadEvent(line):
			l.generation = genExec
			e.kind, e.body = line.Get("type").Str(), line.Get("item")
			if line.Get("thread_id").Kind() == jsonscan.String && !l.head.Exists() {
				l.head, l.headAt = line, pointer(len(l.entries))
			}
		case !old && root.Kind() == jsonscan.Array && (l.generation == genEvents || l.generation == genItems && !bare) && isPrintedEvent(line):
			l.generation = genEvents
			e.kind, e.body = "event_msg", line.Get("msg")
		case root.Kind() == jsonscan.Object:
			e.item = line.Kind() == jsonscan.Object
		case line.Get("type").Kind() == jsonscan.String && payload.Kind() == jsonscan.Object:
			l.generation = genEnvelope
			e.kind, e.body = line.Get("type").Str(), payload
			e.item = e.kind == "response_item"
			if e.kind == "session_meta" && !l.head.Exists() {
				l.head, l.headAt = payload, pointer(len(l.entries))+"/payload"
			}
		case isHeader(line):
			if !l.head.Exists() {
				l.head, l.headAt = line, pointer(len(l.entries))
			}
			if l.generation == genItems {
				l.generation = genLines
			}
			e.kind = "header"
		case line.Get("record_type").Exists():
			e.kind = "state"
		default:
			e.item = line.Kind() == jsonscan.Object
			bare = bare || e.item && (line.Get("type").Exists() || line.Get("role").Exists())
		}
		l.entries = append(l.entries, e)
	}
	l.noteCompleted()
	if l.generation == genEvents && isSettings(l.entries[0].line) {
		l.entries[0].kind, l.entries[0].item = "settings", false
	}
	if l.generation == genEnvelope || l.generation == genExec || l.generation == genEvents {
		for i := range l.entries {
			// Bare items do not belong among envelopes and events: they stay as they are.
			l.entries[i].item = l.entries[i].item && l.entries[i].kind != ""
		}
	}
	return l
}

// isHeader tells whether a line is the first one of codex-lines.
func isHeader(line jsonscan.Node) bool {
	return line.Get("id").Kind() == jsonscan.String && line.Get("timestamp").Exists() && !line.Get("type").Exists() && !line.Get("record_type").Exists()
}

// hasMessages tells whether an item is a message, so that events only repeat.
func (l *log) hasMessages() bool {
	for _, e := range l.entries {
		if e.item && e.body.Get("type").Is("message") {
			return true
		}
	}
	return false
}

// injections are how texts begin that the program writes in the person's name.
var injections = []string{
	"<environment_context>", "<user_instructions>", "# AGENTS.md instructions", "<INSTRUCTIONS>", "<permissions instructions>",
	"<turn_aborted>", "<user_shell_command>", "<subagent_notification>", "<skill>", "<skills_instructions>", "<collaboration_mode>",
	"<apps_instructions>", "<ENVIRONMENT_CONTEXT>", "<model_switch>", "<personality_spec>",
}

// otherKinds are the types of lines without an item that are known.
var otherKinds = map[string]bool{
	"session_meta": true, "turn_context": true, "event_msg": true, "compacted": true, "world_state": true, "header": true, "state": true,
	"response_item": true, "session_state": true, "settings": true,
}
