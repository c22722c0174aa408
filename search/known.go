package search

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
)

// known are the elements that an index has, by a digest of their names: some 60 bytes each.
type known map[[16]byte]knownElement

// knownElement is an element: its row, and a digest of what it was made from. seen tells that the
// bundle has it still.
type knownElement struct {
	id     int64
	digest uint64
	seen   bool
}

// see marks an element as seen, and gives it.
func (k known) see(name string) (knownElement, bool) {
	key := [16]byte(digestOf([]byte(name)))
	e, ok := k[key]
	if ok {
		e.seen = true
		k[key] = e
	}
	return e, ok
}

// readKnown reads what the index has of memories and conversations.
func (x *Index) readKnown(ctx context.Context) (memories, talks known, err error) {
	memories, talks = known{}, known{}
	rows, err := x.conn.QueryContext(ctx, `SELECT id, name, element FROM memories`)
	if err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		var e knownElement
		var name, element []byte
		if err := rows.Scan(&e.id, &name, &element); err != nil {
			return nil, nil, errors.Join(err, rows.Close())
		}
		e.digest = number(element)
		memories[[16]byte(digestOf(name))] = e
	}
	if err := errors.Join(rows.Err(), rows.Close()); err != nil {
		return nil, nil, err
	}
	rows, err = x.conn.QueryContext(ctx, `SELECT base, name, ref, title, platform FROM conversations`)
	if err != nil {
		return nil, nil, err
	}
	for rows.Next() {
		var e knownElement
		var name, ref, title, platform []byte
		if err := rows.Scan(&e.id, &name, &ref, &title, &platform); err != nil {
			return nil, nil, errors.Join(err, rows.Close())
		}
		e.digest = number(digestOf(ref, title, platform))
		talks[[16]byte(digestOf(name))] = e
	}
	return memories, talks, errors.Join(rows.Err(), rows.Close())
}

// digestOf is a digest of some texts, which do not run into each other.
func digestOf(texts ...[]byte) []byte {
	all := texts[0]
	for i, t := range texts[1:] {
		if i == 0 {
			all = bytes.Clone(all)
		}
		all = append(binary.BigEndian.AppendUint64(all, uint64(len(all))), t...)
	}
	sum := sha256.Sum256(all)
	return sum[:16]
}

// number is the beginning of a digest; 0 for one that is too short.
func number(digest []byte) uint64 {
	if len(digest) < 8 {
		return 0
	}
	return binary.BigEndian.Uint64(digest)
}
