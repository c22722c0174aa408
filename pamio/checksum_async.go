package pamio

import (
	"crypto/sha256"
	"fmt"
)

// asyncChecksum is a [Checksummer] that hashes on a goroutine of its own, in batches. Integrity
// ends it; one that is thrown away is ended by close.
type asyncChecksum struct {
	n       int64
	last    []byte
	pending []byte
	batches chan []byte
	free    chan []byte
	sum     chan [sha256.Size]byte
	result  *Integrity
}

// batchSize is how many bytes are hashed at a time, and maxBatches how many batches there are.
const (
	batchSize  = 256 << 10
	maxBatches = 4
)

func newAsyncChecksum() *asyncChecksum {
	c := &asyncChecksum{batches: make(chan []byte, maxBatches), free: make(chan []byte, maxBatches), sum: make(chan [sha256.Size]byte, 1)}
	for range maxBatches {
		c.free <- nil
	}
	go func() {
		h := sha256.New()
		for b := range c.batches {
			h.Write(b)
			c.free <- b[:0]
		}
		c.sum <- [sha256.Size]byte(h.Sum(nil))
	}()
	c.pending = append(<-c.free, '[')
	return c
}

// Add takes the next memory, with the errors of [Checksummer.Add].
func (c *asyncChecksum) Add(id, canonical []byte) error {
	if c.n > 0 && string(id) <= string(c.last) {
		err := ErrUnsorted
		if string(id) == string(c.last) {
			err = ErrDuplicateID
		}
		return fmt.Errorf("add element %d to checksum: %w", c.n, err)
	}
	if c.n > 0 {
		c.pending = append(c.pending, ',')
	}
	c.pending = append(c.pending, canonical...)
	c.last = append(c.last[:0], id...)
	c.n++
	if len(c.pending) >= batchSize {
		c.batches <- c.pending
		c.pending = <-c.free
	}
	return nil
}

// Integrity is the block of all memories; nothing may be added afterwards.
func (c *asyncChecksum) Integrity() Integrity {
	if c.result == nil {
		c.batches <- append(c.pending, ']')
		close(c.batches)
		c.result = &Integrity{Canonicalization: RFC8785, Checksum: Digest(<-c.sum), TotalMemories: c.n}
	}
	return *c.result
}

func (c *asyncChecksum) close() {
	if c != nil {
		c.Integrity()
	}
}
