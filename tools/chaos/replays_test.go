package main

import (
	"reflect"
	"testing"
)

func TestSeedGivesTheSameReplays(t *testing.T) {
	var drops []Drop
	for _, owner := range owners {
		d := file(owner, largeName, []byte(owner))
		d.name()
		drops = append(drops, d)
	}
	ends := map[int]bool{}
	for seed := range uint64(6) {
		first := Material{Seed: seed, Owners: owners, Drops: drops}
		first.again()
		second := first
		second.again()
		if !reflect.DeepEqual(first.Again, second.Again) {
			t.Errorf("seed %d asks for other things the second time: %+v, %+v", seed, first.Again, second.Again)
		}
		a := first.Again
		if a.One.Owner != a.Owner || a.One.Digest == "" {
			t.Errorf("seed %d: %+v", seed, a)
		}
		ends[len(a.Last)] = true
	}
	if len(ends) < 2 {
		t.Error("the last request is always the same")
	}
}

func TestAReplayHasEndedWhenNoDropWaits(t *testing.T) {
	for name, c := range map[string]struct {
		a    answer
		want bool
	}{
		"all are done":         {answer{code: 0, out: `{"summary":{"selected":3}}`}, true},
		"some are refused":     {answer{code: 3, out: `{"summary":{"selected":3,"refused":1}}`}, true},
		"all have failed":      {answer{code: 1, out: `{"summary":{"selected":1,"failed":1}}`}, true},
		"one is gone":          {answer{code: 3, out: `{"summary":{"selected":3,"gone":1}}`}, false},
		"one is damaged":       {answer{code: 3, out: `{"summary":{"selected":3,"trouble":1}}`}, false},
		"an outage stopped it": {answer{code: 1, out: `{"summary":{"selected":3}}`, errors: "pamline: no"}, false},
		"it was killed":        {answer{code: -1, out: `{"drops": [`}, false},
		"nothing is selected":  {answer{code: 1}, false},
	} {
		if got := c.a.replayed(); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}
