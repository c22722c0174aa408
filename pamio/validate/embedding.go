package validate

import (
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// embedding checks one embedding for itself (PAM §12.3).
func (e *element) embedding() embeddingFacts {
	n := e.root
	f := embeddingFacts{index: e.index}
	f.id, _ = text(n.Get("id"))
	f.memory, _ = text(n.Get("memory_id"))
	e.time(n, "", "created_at")
	vector := n.Get("vector")
	if e.wrong(embeddingEmpty, !given(vector) && !given(n.Get("storage"))) {
		e.find(embeddingEmpty, e.at("", n), "the embedding has neither a vector nor a storage; a reader can do nothing with it")
	}
	if vector.Kind() != jsonscan.Array {
		return f
	}
	count := 0
	for v := range vector.Items() {
		if v.Kind() == jsonscan.Number {
			e.number(v)
		} else {
			e.find(schemaType, e.at("/vector/"+strconv.Itoa(count), v), "the value is no number; a vector holds numbers only")
		}
		count++
	}
	dimensions, err := strconv.ParseFloat(string(n.Get("dimensions").Raw()), 64)
	if err != nil || n.Get("dimensions").Kind() != jsonscan.Number {
		return f
	}
	if e.wrong(embeddingDimensions, dimensions != float64(count)) {
		e.find(embeddingDimensions, e.at("/vector", vector), "the vector has %d numbers, dimensions says %s", count, n.Get("dimensions").Raw())
	}
	return f
}
