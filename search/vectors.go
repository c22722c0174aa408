package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"

	"github.com/pamline/pamline/pamio"
)

// Vector is what a text means, by a model. Only vectors of one model are compared.
type Vector struct {
	Model   string
	Numbers []float32
}

// updateVectors brings the vectors of memories up to date with those of the bundle, if it has any.
// A vector is kept in a byte for each number: that is exact enough to compare meanings.
func (u *update) updateVectors(ctx context.Context) (err error) {
	known, err := u.readVectors(ctx)
	if err != nil {
		return err
	}
	f, err := u.bundle.OpenEmbeddings()
	if err == nil {
		err = errors.Join(pamio.ReadEmbeddings(f, 0, func(e pamio.Element) error { return u.vector(ctx, known, e) }), f.Close())
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read vectors: %w", err)
	}
	for id, old := range known {
		if old.seen {
			continue
		}
		if err := u.exec(ctx, `DELETE FROM vectors WHERE id=?`, id); err != nil {
			return err
		}
	}
	return nil
}

// readVectors are the vectors that the index has, by the rows of their memories.
func (u *update) readVectors(ctx context.Context) (known map[int64]knownElement, err error) {
	rows, err := u.conn.QueryContext(ctx, `SELECT id, element FROM vectors`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	known = map[int64]knownElement{}
	for rows.Next() {
		var id int64
		var element []byte
		if err := rows.Scan(&id, &element); err != nil {
			return nil, err
		}
		known[id] = knownElement{id: id, digest: number(element)}
	}
	return known, rows.Err()
}

// vector keeps the vector of a memory, unless it is there.
func (u *update) vector(ctx context.Context, known map[int64]knownElement, e pamio.Element) error {
	v, err := pamio.ParseEmbedding(e.Raw)
	if err != nil {
		return err
	}
	var id int64
	err = u.conn.QueryRowContext(ctx, `SELECT id FROM memories WHERE name=?`, v.MemoryID).Scan(&id)
	if errors.Is(err, sql.ErrNoRows) {
		return ctx.Err() // of a memory that the store does not have
	}
	if err != nil {
		return err
	}
	digest := digestOf(e.Raw)
	if old, ok := known[id]; ok && old.digest == number(digest) {
		old.seen = true
		known[id] = old
		return ctx.Err()
	}
	numbers := make([]float32, len(v.Vector))
	for i, n := range v.Vector {
		numbers[i] = float32(n)
	}
	packed := packVector(numbers)
	if packed == nil {
		return ctx.Err() // it points nowhere
	}
	known[id] = knownElement{id: id, seen: true}
	if err := u.exec(ctx, `INSERT OR REPLACE INTO vectors (id, element, model, numbers) VALUES (?,?,?,?)`, id, digest, v.Model, packed); err != nil {
		return err
	}
	return u.commit(ctx, 0)
}

// packVector writes the direction of a vector in a byte for each number, nil if it has none.
func packVector(numbers []float32) []byte {
	most := 0.0
	for _, n := range numbers {
		if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
			return nil
		}
		most = max(most, math.Abs(float64(n)))
	}
	if most == 0 {
		return nil
	}
	packed := make([]byte, len(numbers))
	for i, n := range numbers {
		packed[i] = byte(int8(math.Round(127 * float64(n) / most)))
	}
	return packed
}

// likeness is the cosine of the angle between two packed vectors of one length.
func likeness(a, b []byte) float64 {
	var product, lengthA, lengthB int64
	for i := range a {
		x, y := int64(int8(a[i])), int64(int8(b[i]))
		product, lengthA, lengthB = product+x*y, lengthA+x*x, lengthB+y*y
	}
	if lengthA == 0 || lengthB == 0 {
		return 0
	}
	return float64(product) / math.Sqrt(float64(lengthA)*float64(lengthB))
}

// Limits of what means the same: how like a memory must be to the query, how much less like than
// the best one it may be, and how many there are at most. Models differ in what they give to texts
// that have nothing in common, so the best one decides.
const (
	leastLikeness  = 0.3
	likenessSpread = 0.15
	maxMeanings    = 20
)

// meaning is a memory that is like the query.
type meaning struct {
	id    int64
	value float64
}

// meanings adds the memories that mean what the query means, and raises those that were found by
// their words as well.
func (f *finding) meanings(ctx context.Context) error {
	if f.o.Vector == nil || !f.o.wants(KindMemory) {
		return nil
	}
	best, err := f.nearestMemories(ctx)
	if err != nil || len(best) == 0 {
		return err
	}
	for _, m := range best {
		if m.value < max(leastLikeness, best[0].value-likenessSpread) {
			break
		}
		if err := f.addMeaning(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// nearestMemories are the memories that are most like the query. The vectors are read one after the
// other: none is kept.
func (f *finding) nearestMemories(ctx context.Context) (best []meaning, err error) {
	query := packVector(f.o.Vector.Numbers)
	if query == nil {
		return nil, nil
	}
	rows, err := f.conn.QueryContext(ctx, `SELECT v.id, v.numbers FROM vectors v JOIN memories m ON m.id = v.id
		WHERE v.model = ?1 AND (?2 = '' OR m.platform = ?2) AND (?3 = 0 OR m.at >= ?3) AND (?4 = 0 OR m.at > 0 AND m.at < ?4)`, f.o.Vector.Model, f.o.Provider, f.o.Since, f.o.Until)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	var numbers sql.RawBytes
	for rows.Next() {
		var id int64
		if err := rows.Scan(&id, &numbers); err != nil {
			return nil, err
		}
		if len(numbers) != len(query) {
			continue // of another length of the same model
		}
		value := likeness(query, numbers)
		if len(best) == maxMeanings && value <= best[len(best)-1].value {
			continue
		}
		at, _ := slices.BinarySearchFunc(best, value, func(m meaning, v float64) int {
			if m.value >= v {
				return -1
			}
			return 1
		})
		best = slices.Insert(best, at, meaning{id, value})
		best = best[:min(len(best), maxMeanings)]
	}
	return best, rows.Err()
}

// addMeaning adds one memory, unless it has a word that must not be there.
func (f *finding) addMeaning(ctx context.Context, m meaning) error {
	h := Hit{Kind: kindNames[KindMemory], Match: matchMeaning}
	var content string
	err := f.conn.QueryRowContext(ctx, `SELECT name, content, type, status, platform, created, at, conversation, message FROM memories WHERE id=?`, m.id).
		Scan(&h.Memory, &content, &h.Type, &h.Status, &h.Provider, &h.Date, &h.at, &h.Conversation, &h.Message)
	if err != nil {
		return err
	}
	for i := range f.hits {
		if f.hits[i].Memory == h.Memory {
			f.hits[i].score += weightMeaning * m.value
			return nil
		}
	}
	found := f.query.match(content, anyForm)
	if found.excluded {
		return nil
	}
	h.score = weightMeaning * m.value
	if h.Status != "active" {
		h.score -= weightMemory
	}
	h.Snippet = found.snippet(content)
	f.add(h)
	return nil
}
