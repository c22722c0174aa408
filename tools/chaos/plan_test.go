package main

import (
	"fmt"
	"reflect"
	"testing"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
)

func planText(steps []Step) (out []string) {
	for _, s := range steps {
		out = append(out, fmt.Sprintf("%.6f %s %s", s.At, s.Kind, s.What))
	}
	return out
}

func TestSeedGivesTheSamePlan(t *testing.T) {
	l := layout{workers: 6, nodes: 3}
	for name, kinds := range map[string][]kind{"mixed": mixedKinds(options{canFill: true}), "several": clusterKinds()} {
		first := planText(newPlan(7, 20, kinds, l))
		if again := planText(newPlan(7, 20, kinds, l)); !reflect.DeepEqual(first, again) {
			t.Errorf("%s: two plans of one seed:\n%q\n%q", name, first, again)
		}
		if other := planText(newPlan(8, 20, kinds, l)); reflect.DeepEqual(first, other) {
			t.Errorf("%s: two seeds have one plan", name)
		}
		if len(first) != 20 {
			t.Errorf("%s: %d steps", name, len(first))
		}
	}
}

func TestEveryKindHasItsTurn(t *testing.T) {
	kinds := mixedKinds(options{canFill: true})
	all := 0
	for _, k := range kinds {
		all += k.weight
	}
	seen := map[string]bool{}
	for _, s := range newPlan(1, all, kinds, layout{workers: 6, nodes: 1}) {
		seen[s.Kind] = true
	}
	for _, k := range kinds {
		if !seen[k.name] {
			t.Errorf("%s never happens", k.name)
		}
	}
}

func TestSeedGivesTheSameDrops(t *testing.T) {
	root, err := toolbin.Root()
	if err != nil {
		t.Fatal(err)
	}
	first, err := newMaterial(root, 3, true)
	if err != nil {
		t.Fatal(err)
	}
	again, err := newMaterial(root, 3, true)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(first, again) {
		t.Error("two sets of one seed differ")
	}
	digests, twice := map[string]bool{}, 0
	for _, d := range first.Drops {
		if digests[d.Owner+d.Digest] {
			twice++
		}
		digests[d.Owner+d.Digest] = true
	}
	if twice == 0 {
		t.Error("nothing is dropped twice")
	}
}
