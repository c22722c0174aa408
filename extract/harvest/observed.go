package harvest

import (
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pamio/jsonscan"
)

// ownTimes are the values of created_at_source that name a time of the message itself. No source
// means create_time.
var ownTimes = map[string]bool{"": true, "create_time": true, "update_time": true}

// observed is when a record was there: the message's own time, else the start of its conversation.
// A time that a message only inherits from a neighbour in the graph says nothing about the record.
func (h *harvester) observed(m *pamio.Message, meta jsonscan.Node) string {
	if ownTimes[meta.Get("created_at_source").Str()] && m.CreatedAt != "" {
		return m.CreatedAt
	}
	return h.started
}
