package validate

import (
	"math"
	"strconv"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// free are objects in which everything is allowed. They are shown to the schema empty.
var free = map[string]bool{"raw_metadata": true, "input": true}

// instance is the element in the form that the schema library takes. What the schema does not look
// into is left out.
func (e *element) instance() any { return e.value(e.root, true) }

func (e *element) value(n jsonscan.Node, top bool) any {
	switch n.Kind() {
	case jsonscan.Object:
		m := make(map[string]any, 8)
		for k, v := range n.Fields() {
			name := k.Str()
			switch {
			case v.Kind() == jsonscan.Object && free[name]:
				m[name] = map[string]any{}
			case v.Kind() == jsonscan.Object && name == "metadata" && e.wrapper == "memories" && top:
				m[name] = e.metadata(v)
			case v.Kind() == jsonscan.Array && name == "vector" && e.wrapper == "embeddings" && top:
				m[name] = []any{} // numbers, which the check of dimensions sees to
			default:
				m[name] = e.value(v, false)
			}
		}
		return m
	case jsonscan.Array:
		a := []any{}
		for v := range n.Items() {
			a = append(a, e.value(v, false))
		}
		return a
	case jsonscan.String:
		return n.Str()
	case jsonscan.Number:
		return e.number(n)
	case jsonscan.Bool:
		return n.True()
	}
	return nil
}

// metadata shows the reserved keys of a memory's metadata (PAM §10) only.
func (e *element) metadata(n jsonscan.Node) any {
	m := map[string]any{}
	for _, name := range []string{"language", "domain"} {
		if v := n.Get(name); v.Exists() {
			m[name] = e.value(v, false)
		}
	}
	return m
}

// number reads a number as the double that it is to other readers.
func (e *element) number(n jsonscan.Node) float64 {
	v, err := strconv.ParseFloat(string(n.Raw()), 64)
	if e.wrong(jsonNumberRange, err != nil) {
		e.find(jsonNumberRange, e.at(pathOf(e.root, n), n), "the number is too large for a double, which is what JSON readers use")
		return math.Copysign(math.MaxFloat64, v)
	}
	return v
}

// pathOf is the pointer of a value below root.
func pathOf(root, n jsonscan.Node) string {
	inside := func(v jsonscan.Node) bool {
		return v.Offset() <= n.Offset() && n.Offset() < v.Offset()+len(v.Raw())
	}
	i := 0
	for v := range root.Items() {
		if inside(v) {
			return "/" + strconv.Itoa(i) + pathOf(v, n)
		}
		i++
	}
	for k, v := range root.Fields() {
		if inside(v) {
			return "/" + pointerEscape.Replace(k.Str()) + pathOf(v, n)
		}
	}
	return ""
}

// follow is the value at a path inside of n.
func follow(n jsonscan.Node, path []string) jsonscan.Node {
	for _, token := range path {
		if n.Kind() != jsonscan.Array {
			n = n.Get(token)
			continue
		}
		want, err := strconv.Atoi(token)
		if err != nil {
			return jsonscan.Node{}
		}
		next, i := jsonscan.Node{}, 0
		for v := range n.Items() {
			if i == want {
				next = v
				break
			}
			i++
		}
		n = next
	}
	return n
}
