package validate

import "github.com/pamline/pamline/pamio/extsort"

// Options set what is checked and how much it may cost. The zero value is the default of
// everything.
type Options struct {
	// Strict makes errors of the warnings that matter: those behind which the specification has a
	// MUST, or over which other readers stumble. Catalog lists both severities.
	Strict bool
	// Base is the export that an incremental one refers to: a store, or a bundle that has one. A
	// full export, which stands alone, is only compared with it: which memories changed their
	// status, and how. Nil: none.
	Base *Target
	// SkipConversations leaves the conversation files and assets of a bundle unopened: the index is
	// checked, and that the conversation files exist.
	SkipConversations bool
	// OnFinding is called with each finding that is kept, in the order in which they are found.
	// Nil: counted only.
	OnFinding func(Finding)
	// MaxFindings is how many findings of one id are handed over; further ones are counted. 0: 100.
	// Negative: none.
	MaxFindings int

	// MaxElement is the greatest size in bytes of a memory, message, embedding and so on, and of
	// all scalar fields of a document together. 0: 384 MiB, which every message has that an import
	// publishes with its default limits.
	MaxElement int64
	// MaxConversation is the greatest size in bytes of a conversation file; its message ids and
	// links are held in memory, which takes up to twice that size with the smallest messages, and a
	// fraction of it with real ones. 0: 1 GiB.
	MaxConversation int64
	// MaxFile is the greatest size in bytes, unpacked, of a store or an embeddings file. 0: 1 TiB.
	MaxFile int64
	// MaxDepth is how deep values may be nested. 0: 512.
	MaxDepth int
	// MaxChains is how many superseded_by links are followed to find circles, at 8 bytes each. 0: 4
	// Mi.
	MaxChains int

	// Scratch is the folder for scratch files, "" that of the system.
	Scratch string
	// Budget is how many bytes each of the joins holds in memory before it uses a scratch file; up
	// to seven are filled at a time. 0: 32 MiB.
	Budget int64
}

func (o Options) withDefaults() Options {
	orInt := func(v *int, d int) {
		if *v == 0 {
			*v = d
		}
	}
	orInt64 := func(v *int64, d int64) {
		if *v <= 0 {
			*v = d
		}
	}
	orInt(&o.MaxFindings, 100)
	orInt64(&o.MaxElement, 384<<20)
	orInt64(&o.MaxConversation, 1<<30)
	orInt64(&o.MaxFile, 1<<40)
	orInt(&o.MaxDepth, 512)
	orInt(&o.MaxChains, 4<<20)
	orInt64(&o.Budget, 32<<20)
	return o
}

func (o Options) sorter() *extsort.Sorter { return extsort.New(o.Scratch, o.Budget) }
