package main

import (
	"github.com/pamline/pamline/cmd/internal/style"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/status"
)

// stateStyle colors the state of an import.
func stateStyle(s style.Style, ended string) string {
	switch ended {
	case state.StateDone:
		return s.Good(ended)
	case state.StateLosses:
		return s.Warning(ended)
	case state.StateRefused, state.StateFailed, status.StateUnreadable:
		return s.Bad(ended)
	}
	return ended
}
