package importertest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/pamline/pamline/pamio/jsonscan"
)

// Mutate is the property test: n times it changes the units of a result somewhere (odd values in
// the place of others, keys twice, in another order, missing, new) and holds the promises for what
// became of it.
func (f Format) Mutate(t *testing.T, r *Result, n int) {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, uint64(len(r.Units))))
	tried := 0
	for round := 0; round < n; round++ {
		for _, u := range r.Units {
			if len(u.Raw) == 0 || u.Unit.Err != nil || len(u.Raw) > 64<<10 {
				continue
			}
			src, err := jsonscan.Parse(u.Raw, 0)
			if err != nil {
				continue
			}
			m := mutator{r: rng, rate: 0.02 + 0.1*rng.Float64()}
			m.value(src.Root(), 0)
			changed := u.Unit
			changed.Raw = []byte(m.out.String())
			if _, err := jsonscan.Parse(changed.Raw, 0); err != nil {
				t.Fatalf("the mutation itself is not JSON: %v\n%s", err, changed.Raw)
			}
			tried++
			if err := f.sound(decode(t, f.Importer, changed), perMessage); err != nil {
				t.Fatalf("%s#%d: %v\nof %s", u.Member.Name, u.Index, err, changed.Raw)
			}
		}
	}
	if tried == 0 {
		t.Fatal("no unit is JSON")
	}
}

// odd are values that break importers.
var odd = []string{
	`null`, `""`, `" "`, `"\ud800"`, `"a\udfffb"`, `"\u0000"`, `"é\ud83d\ude00"`, `0`, `-1`, `1e400`, `9007199254740993`, `0.1000`, `123456789012345678901234567890`,
	`1700000000`, `1700000000123`, `true`, `false`, `[]`, `{}`, `[null]`, `[""]`, `[{}]`, `{"type":"text"}`, `{"type":"text","text":null}`, `{"a":1,"a":2}`, `{"":{"":[]}}`, `"2024-02-30T25:61:61Z"`,
	`"2024-01-02T03:04:05Z"`, `"2024-01-02T03:04:05.123456789+05:30"`, `"user"`, `"human"`, `"wizard"`, `"../../etc/passwd"`, `"00000000-0000-4000-8000-000000000000"`, `"\"\\/"`,
	`{"$date":1700000000000}`, `{"$date":{"$numberLong":"x"}}`,
}

type mutator struct {
	r    *rand.Rand
	rate float64
	out  strings.Builder
}

func (m *mutator) hit() bool { return m.r.Float64() < m.rate }

func (m *mutator) value(n jsonscan.Node, depth int) {
	if depth > 0 && m.hit() {
		m.out.WriteString(odd[m.r.IntN(len(odd))])
		return
	}
	switch n.Kind() {
	case jsonscan.Array:
		var items []jsonscan.Node
		for v := range n.Items() {
			if m.hit() {
				continue
			}
			items = append(items, v)
			if m.hit() {
				items = append(items, v) // twice
			}
		}
		if m.hit() {
			m.r.Shuffle(len(items), func(i, j int) { items[i], items[j] = items[j], items[i] })
		}
		m.out.WriteByte('[')
		for i, v := range items {
			if i > 0 {
				m.out.WriteByte(',')
			}
			m.value(v, depth+1)
		}
		m.out.WriteByte(']')
	case jsonscan.Object:
		type field struct {
			key string
			v   jsonscan.Node
		}
		var fields []field
		for k, v := range n.Fields() {
			if m.hit() {
				continue
			}
			fields = append(fields, field{string(k.Raw()), v})
			if m.hit() {
				fields = append(fields, field{string(k.Raw()), v})
			}
			if m.hit() {
				fields = append(fields, field{fmt.Sprintf(`"new %d"`, m.r.IntN(3)), v})
			}
		}
		if m.hit() {
			m.r.Shuffle(len(fields), func(i, j int) { fields[i], fields[j] = fields[j], fields[i] })
		}
		m.out.WriteByte('{')
		for i, f := range fields {
			if i > 0 {
				m.out.WriteByte(',')
			}
			m.out.WriteString(f.key)
			m.out.WriteByte(':')
			m.value(f.v, depth+1)
		}
		m.out.WriteByte('}')
	default:
		m.out.Write(n.Raw())
	}
}
