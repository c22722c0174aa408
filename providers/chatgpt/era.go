package chatgpt

import "github.com/pamline/pamline/pamio/jsonscan"

// eraKeys are conversation keys by the export form that brought them.
var eraKeys = map[string]string{
	"pinned_time": era2026, "atlas_mode_enabled": era2026, "is_temporary_chat": era2026,
	"async_status": era2025, "blocked_urls": era2025, "disabled_tool_ids": era2025, "gizmo_type": era2025,
	"is_do_not_remember": era2025, "is_starred": era2025, "memory_scope": era2025, "sugar_item_id": era2025,
	"context_scopes": era2025, "is_read_only": era2025, "is_study_mode": era2025, "owner": era2025,
	"sugar_item_visible": era2025,
	"conversation_id":    era2024, "conversation_template_id": era2024, "gizmo_id": era2024, "is_archived": era2024,
	"safe_urls": era2024, "default_model_slug": era2024, "conversation_origin": era2024, "voice": era2024,
}

// The values of provider.export_format_version: the form of the element by the keys it has, not its
// date.
const (
	era2023 = "chatgpt-2023"
	era2024 = "chatgpt-2024"
	era2025 = "chatgpt-2025"
	era2026 = "chatgpt-2026-sharded"
	eraSlim = "chatgpt-2026-slim"
)

// era names the form of a conversation. Slim: no node has children, and no message the keys that
// went with them.
func (d *decoder) era(root jsonscan.Node) string {
	era := era2023
	for k := range root.Fields() {
		if e := eraKeys[string(nameOf(k))]; e > era {
			era = e
		}
	}
	messages := 0
	for i := range d.nodes {
		n := &d.nodes[i]
		if n.children.Exists() {
			return era
		}
		if n.rich {
			return era
		}
		if n.message.Exists() {
			messages++
		}
	}
	if messages > 0 && era > era2023 {
		return eraSlim
	}
	return era
}
