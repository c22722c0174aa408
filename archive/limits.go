package archive

// Limits bound what an archive may take. A zero field means its default.
type Limits struct {
	// MaxMembers is the number of members over all parts and inner archives. Default 1,000,000; one
	// takes about 300 bytes of memory.
	MaxMembers int
	// MaxMemberSize is the uncompressed size of one member in bytes. Default 64 GiB.
	MaxMemberSize int64
	// MaxTotal is the uncompressed size of all members in bytes. Default 1 TiB.
	MaxTotal int64
	// MaxRatio is how many times its compressed size a member may grow to, counted once it has
	// produced RatioFloor bytes; and how many times their own size all parts together may unpack
	// to, inner archives included, counted from TotalFloor bytes. Default 1000.
	MaxRatio int64
	// MaxNesting is how deep zips inside the archive are opened. Default 2; -1 opens none.
	MaxNesting int
	// MaxScratch is the size of all scratch files of one archive in bytes. Default 64 GiB.
	MaxScratch int64
	// MaxNameLength is the length of a member's name in bytes. Default 4096.
	MaxNameLength int
}

// RatioFloor is the number of bytes a member may produce before MaxRatio counts: small files of
// zeros are no attack.
const RatioFloor = 100 << 20

// TotalFloor is the number of bytes an archive may unpack to before MaxRatio counts for all of it.
// Zips in zips multiply: 12 KB may hold four thousand files of which none grows out of proportion.
const TotalFloor = 1 << 30

func (l Limits) withDefaults() Limits {
	fill(&l.MaxMembers, 1_000_000)
	fill(&l.MaxMemberSize, 64<<30)
	fill(&l.MaxTotal, 1<<40)
	fill(&l.MaxRatio, 1000)
	fill(&l.MaxNesting, 2)
	fill(&l.MaxScratch, 64<<30)
	fill(&l.MaxNameLength, 4096)
	return l
}

func fill[N int | int64](v *N, def N) {
	if *v == 0 {
		*v = def
	}
}
