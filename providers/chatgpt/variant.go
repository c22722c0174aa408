package chatgpt

import (
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// otherKeys are the keys of a conversation that are known besides those in [eraKeys].
var otherKeys = map[string]bool{
	"title": true, "create_time": true, "update_time": true, "mapping": true, "moderation_results": true, "current_node": true,
	"plugin_ids": true, "id": true, "model_slug": true, "workspace_id": true, "chat_messages": true,
}

// variant counts a form that this version does not know: a content type or a key of the
// conversation.
func (d *decoder) variant(root jsonscan.Node) {
	if d.old {
		return
	}
	for k := range root.Fields() {
		name := nameOf(k)
		if _, known := eraKeys[string(name)]; !known && !otherKeys[string(name)] {
			d.anomalies["unknown_key"]++
		}
	}
	if d.anomalies["unknown_key"] > 0 || d.anomalies["unknown_content_type"] > 0 {
		d.anomalies[importer.AnomalyUnknownVariant] = 1
	}
}
