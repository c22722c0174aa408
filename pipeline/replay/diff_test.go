package replay

import (
	"errors"
	"iter"
	"slices"
	"testing"
)

func these(list ...string) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		for _, s := range list {
			err := error(nil)
			if s == "!" {
				err = errors.New("out of order")
			}
			if !yield(s, err) {
				return
			}
		}
	}
}

func TestTwoSequencesAreReadSideBySide(t *testing.T) {
	for name, test := range map[string]struct{ before, after, want []string }{
		"both empty":    {nil, nil, nil},
		"only before":   {[]string{"a", "b"}, nil, []string{"-a", "-b"}},
		"only after":    {nil, []string{"a", "b"}, []string{"+a", "+b"}},
		"the same":      {[]string{"a", "b"}, []string{"a", "b"}, []string{"=a", "=b"}},
		"interleaved":   {[]string{"a", "c", "e"}, []string{"b", "c", "d", "f"}, []string{"-a", "+b", "=c", "+d", "-e", "+f"}},
		"one runs out":  {[]string{"a"}, []string{"a", "b", "c"}, []string{"=a", "+b", "+c"}},
		"the other too": {[]string{"a", "b", "c"}, []string{"c"}, []string{"-a", "-b", "=c"}},
	} {
		var got []string
		err := sideBySide(these(test.before...), these(test.after...), func(s string) string { return s }, func(old, now *string) error {
			switch {
			case old == nil:
				got = append(got, "+"+*now)
			case now == nil:
				got = append(got, "-"+*old)
			default:
				got = append(got, "="+*old)
			}
			return nil
		})
		if err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%s: %v, %v; want %v", name, got, err, test.want)
		}
	}
}

func TestAFailureOfEitherSideEndsAComparison(t *testing.T) {
	id := func(s string) string { return s }
	ok := func(*string, *string) error { return nil }
	for name, err := range map[string]error{
		"before":    sideBySide(these("a", "!"), these("a", "b"), id, ok),
		"after":     sideBySide(these("a"), these("a", "b", "!"), id, ok),
		"the first": sideBySide(these("!"), these(), id, ok),
		"the caller": sideBySide(these("a"), these(), id, func(*string, *string) error {
			return errors.New("enough")
		}),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestAMemoryIsOfOneKindOfChange(t *testing.T) {
	var m MemoryDiff
	for _, l := range []MemoryLine{
		{From: "", To: "active"}, {From: "", To: "archived"}, {From: "active", To: ""}, {From: "active", To: "active"}, {From: "active", To: "superseded"},
		{From: "active", To: "archived"}, {From: "active", To: "retracted"}, {From: "active", To: "deprecated"}, {From: "archived", To: "active"},
	} {
		m.kindOf(l).add(l, 1)
	}
	got := []int64{m.Added.Count, m.Removed.Count, m.Evidence.Count, m.Superseded.Count, m.Archived.Count, m.Retired.Count, m.Reactivated.Count}
	if !slices.Equal(got, []int64{2, 1, 1, 1, 1, 2, 1}) || m.count() != 9 || len(m.Added.First) != 1 {
		t.Errorf("%v, %d in all", got, m.count())
	}
}
