package wiring

import (
	"time"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
)

// Identities says what published stores tell of their owners: of the one whom the settings are
// about, the DID and the time; of all, the type registry.
func Identities(c *config.Config, about string) func(owner string) state.Identity {
	return func(owner string) state.Identity {
		i := state.Identity{TypeRegistry: c.Owner.TypeRegistry}
		if owner != about {
			return i
		}
		i.DID = c.Owner.DID
		if t, err := time.Parse(time.RFC3339, c.Owner.CreatedAt); err == nil { // the settings are checked when they are read
			i.CreatedAt = pamio.FormatTime(t)
		}
		return i
	}
}
