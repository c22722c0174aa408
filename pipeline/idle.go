package pipeline

import (
	"context"
	"fmt"
)

// Idle tells that nothing waits and nobody works. The queues are looked at in the order in which work goes through them, and a
// message stays in its queue until what follows from it is in the next: so nothing slips through between two looks.
func (l *Local) Idle(ctx context.Context) (bool, error) {
	for _, name := range []string{StreamEvents, StreamTake, StreamIngest, StreamExtract, StreamAssemble} {
		s, err := l.js.Stream(ctx, name)
		if err != nil {
			return false, fmt.Errorf("look into stream %s: %w", name, err)
		}
		if s.CachedInfo().State.Msgs > 0 {
			return false, nil
		}
	}
	return true, nil
}
