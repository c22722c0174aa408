package memstores

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// letta: agent files. Blocks are what an agent remembers: that of the label human is about the
// person, that of the label persona about the agent.
var letta = &format{
	provider: "letta", version: "letta-importer/2026.11", lists: []string{"blocks", "agents", "tools", "core_memory", "messages", "groups", "files", "sources", "mcp_servers"},
	is: func(s importer.Shape) bool {
		return s.Has("agents[") && s.Has("blocks[") && s.Has("tools[") || s.Has("agent_type") && s.Has("core_memory[") && s.Has("tools[")
	},
	decode: func(e *element) error {
		switch n := e.root; e.unit.Role {
		case "blocks", "core_memory":
			e.block(n)
		case "agents":
			e.agent(n)
		default: // tools, and what was said: kept whole
		}
		return nil
	},
}

func (e *element) block(n jsonscan.Node) {
	text := textOf(n, "value")
	switch label := textOf(n, "label"); {
	case text == "":
	case label == "human":
		e.text(importer.RecordProfile, textOf(n, "id"), "", text, n)
	case label == "persona":
		e.text(importer.RecordAssistant, textOf(n, "id"), "", text, n)
	default:
		e.text(importer.RecordMemory, textOf(n, "id"), label, text, n)
	}
}

// agent adds the instructions of an agent, and what was said to it as one record: an agent file has
// the window of the model, and no conversations.
func (e *element) agent(n jsonscan.Node) {
	e.text(importer.RecordAssistant, textOf(n, "id"), textOf(n, "name"), "", n)
	if count := n.Get("messages").Len(); count > 0 {
		e.items = append(e.items, importer.Skipped("agent-messages", strconv.Itoa(count)+" messages in the context window of an agent; they are kept in the record of the agent, and are no conversation", count)...)
	}
}
