//go:build unix && !linux

package dir

import "errors"

func (r *rootFS) CanSyncData() bool { return false }

func (r *rootFS) SyncData() error { return errors.ErrUnsupported }
