package cut

import (
	"context"
	"io"

	"github.com/pamline/pamline/providers/importer"
)

// holding tells Limits.Memory how much was read of the unit that is being cut.
type holding struct {
	ctx    context.Context
	memory importer.Memory // may be nil
	r      io.Reader
	n      int64
}

// Read waits until there is memory for what it gives.
func (h *holding) Read(p []byte) (int, error) {
	n, err := h.r.Read(p)
	h.n += int64(n)
	if h.memory == nil || n == 0 {
		return n, err
	}
	if bad := h.memory.Hold(h.ctx, h.n); bad != nil {
		return 0, bad
	}
	return n, err
}

// next says that the unit was passed on and another one begins.
func (h *holding) next() error {
	if h == nil || h.memory == nil {
		return nil
	}
	h.n = 0
	return h.memory.Hold(h.ctx, 0)
}
