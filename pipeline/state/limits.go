package state

import (
	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/providers"
)

// DefaultMaxAsset is the largest file that is copied when no limit is set, in bytes.
const DefaultMaxAsset = 2 << 30

// AssetLimit is the largest file that is copied, in bytes.
func (l Limits) AssetLimit() int64 {
	if l.MaxAsset <= 0 {
		return DefaultMaxAsset
	}
	return l.MaxAsset
}

// Limits bound what a unit may take; sizes in bytes.
type Limits struct {
	Archive         archive.Limits
	MaxConversation int64
	MaxDepth        int
	Sidecar         int64
	// AnySignature accepts PAM stores whose signature is not valid.
	AnySignature bool
	// MaxAsset is the largest file that is copied; 0 is DefaultMaxAsset.
	MaxAsset   int64
	ShardBytes int64
	ShardItems int
	// OwnerSmall is how many imports of one owner wait in the small lane.
	OwnerSmall int
	// SortBudget is the memory of one external sort.
	SortBudget int64
}

// UnitsIn are the limits as importers take them, with a folder for their scratch files.
func (l Limits) UnitsIn(scratch string) providers.Limits {
	units := l.Units()
	units.Scratch = scratch
	return units
}

// Units are the limits that decide what a unit becomes.
func (l Limits) Units() providers.Limits {
	return providers.Limits{MaxConversation: l.MaxConversation, MaxDepth: l.MaxDepth, MaxSidecar: l.Sidecar, AnySignature: l.AnySignature}.WithDefaults()
}
