package rules

import (
	"errors"
	"fmt"
	"slices"
)

// builder adds the items of one pattern.
type builder struct {
	*compiler
	trie   *trie
	family *family
}

// sequence adds items behind each of the nodes and gives the nodes behind them.
func (b *builder) sequence(items []item, from []int32) ([]int32, error) {
	for i := range items {
		to, err := b.item(&items[i], from, i+1 == len(items))
		if err != nil {
			return nil, err
		}
		if items[i].optional {
			to = append(to, from...)
		}
		if len(to) > maxWays || len(b.trie.nodes) > maxNodes {
			return nil, fmt.Errorf("it can be read in more than %d ways; put its alternatives into a class", maxWays)
		}
		from = to
	}
	return from, nil
}

func (b *builder) item(it *item, from []int32, last bool) ([]int32, error) {
	capture := int8(-1)
	if it.capture != "" {
		n, err := b.captureName(it.capture)
		if err != nil {
			return nil, err
		}
		capture = n
	}
	var to []int32
	switch it.kind {
	case itemChoice:
		for _, seq := range it.choices {
			ways, err := b.sequence(seq, from)
			if err != nil {
				return nil, err
			}
			to = append(to, ways...)
		}
	case itemWord:
		ids := b.phrase(it.text)
		if len(ids) == 0 {
			return nil, fmt.Errorf("%q is no word", it.text)
		}
		for _, n := range from {
			for _, id := range ids {
				n = b.trie.word(n, id)
			}
			to = append(to, n)
		}
	case itemClass:
		id, ok := b.t.named[b.scope+it.text]
		if !ok {
			id, ok = b.t.named[it.text]
		}
		if !ok {
			return nil, fmt.Errorf("there is no class %s", it.text)
		}
		for _, n := range from {
			to = append(to, b.trie.class(n, id, capture))
		}
	case itemOpen:
		high := int(it.max)
		if high == 0 {
			high = maxInner
			if last {
				high = maxCapture
				if b.family != nil && b.family.MaxTokens > 0 {
					high = b.family.MaxTokens
				}
			}
		}
		for _, n := range from {
			to = append(to, b.trie.open(n, capture, int(it.min), high))
		}
	case itemNumber:
		for _, n := range from {
			to = append(to, b.trie.number(n, capture))
		}
	case itemName:
		for _, n := range from {
			to = append(to, b.trie.name(n, capture))
		}
	case itemComma:
		b.t.comma = b.id([]byte(","))
		for _, n := range from {
			to = append(to, n, b.trie.word(n, b.t.comma))
		}
	case itemAnyRest:
		return nil, errors.New("... is not the last item")
	}
	return to, nil
}

func (b *builder) captureName(name string) (int8, error) {
	i := slices.Index(b.t.captures, name)
	if i < 0 {
		if len(b.t.captures) == maxCaptures {
			return 0, fmt.Errorf("the table has more than %d names of captures", maxCaptures)
		}
		i = len(b.t.captures)
		b.t.captures = append(b.t.captures, name)
	}
	return int8(i), nil //nolint:gosec // at most maxCaptures
}
