package assemble

import (
	"strconv"

	"github.com/google/uuid"

	"github.com/pamline/pamline/pamio"
)

// embed writes the memory's vector, if there is one, and refers to it.
func (r *resolver) embed(id uuid.UUID, m *pamio.Memory) error {
	packed, ok, err := r.vectors.find(id)
	if err != nil || !ok {
		return err
	}
	r.values = unpackVector(r.values, packed)
	e := pamio.Embedding{
		ID: embeddingID(m.ID, r.model), MemoryID: m.ID, Model: r.model, Dimensions: int64(len(r.values)), CreatedAt: m.Temporal.CreatedAt,
		Vector: make([]float64, len(r.values)),
	}
	for i, f := range r.values {
		e.Vector[i] = shortest(f)
	}
	if r.buf, err = e.AppendCanonical(r.buf[:0]); err != nil {
		return err
	}
	m.EmbeddingRef = e.ID
	r.stats.Embeddings++
	return r.embeddings.Add(r.buf)
}

// shortest is the double whose text is the shortest that is read as f: 0.1 and not
// 0.10000000149011612.
func shortest(f float32) float64 {
	var buf [32]byte
	d, err := strconv.ParseFloat(string(strconv.AppendFloat(buf[:0], float64(f), 'g', -1, 32)), 64)
	if err != nil {
		return float64(f)
	}
	return d
}
