package search

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
)

// filtersOf are the filters of some texts.
func filtersOf(texts ...string) (filters []byte) {
	for _, text := range texts {
		var s wordSet
		s.reset()
		s.add(text)
		filters = s.pairs.appendTo(filters)
	}
	return filters
}

func TestAPairFilterLetsEveryPhraseOfItsTextPass(t *testing.T) {
	texts := []string{"The walnut tree grows beside a stone bridge.", "", "Свежие помидоры и домашний сыр", "A stone tree under the walnut bridge, which is the longest of all those sentences"}
	filters := filtersOf(texts...)
	for _, c := range []struct {
		query string
		want  int
	}{{`"walnut tree grows"`, 0}, {`"stone bridge"`, 0}, {`"домашний сыр"`, 2}, {`"walnut bridge" "longest of"`, 3}, {`"stone tree"`, 3}} {
		q, err := ParseQuery(c.query)
		check(t, err)
		if got := passingMessages([]int{3, 2, 1, 0}, filters, q.pairHashes()); !slices.Contains(got, c.want) {
			t.Errorf("%s passes %v, want %d among them", c.query, got, c.want)
		}
	}
}

func TestAPairFilterStopsMostOtherPhrases(t *testing.T) {
	text := ""
	for i := range 500 {
		text += fmt.Sprintf("word%d other%d ", i, i)
	}
	filters, pass := filtersOf(text), 0
	const asked = 1000
	for i := range asked {
		q, err := ParseQuery(fmt.Sprintf(`"word%d other%d"`, i%500, i%500+1+i/500))
		check(t, err)
		pass += len(passingMessages([]int{0}, filters, q.pairHashes()))
	}
	if pass == 0 || pass > asked/5 {
		t.Errorf("%d of %d phrases pass that are not there", pass, asked)
	}
}

// A phrase is found in the one message that has it, also when more conversations than a search
// reads have its words apart.
func TestAPhraseIsFoundAmongManyMessagesWithItsWordsApart(t *testing.T) {
	if testing.Short() {
		t.Skip("with -short: no two goroutines take part")
	}
	talks := []talk{{title: "Bees", day: "2001-01-01", says: [][2]string{{"user", "The amber hives stand behind the house."}}}}
	var says [][2]string
	for range enoughRows/maxRead/2 + 1 {
		says = append(says, [2]string{"user", "Painting hives is fun. What about amber?"}, [2]string{"assistant", "Amber paint is a good choice for hives."})
	}
	for i := range maxRead + 20 {
		talks = append(talks, talk{title: fmt.Sprintf("Talk %d", i), day: "2024-03-05", says: says})
	}
	folder := t.TempDir()
	write(t, folder, talks, nil)
	x, b, _ := updated(t, filepath.Join(t.TempDir(), "me.db"), folder)
	for _, o := range []Options{{Limit: 5}, {Limit: 5, ByTime: true}, {}} {
		if got := find(t, x, b, `"amber hives"`, o); len(got) != 1 || got[0] != "Bees/m0" {
			t.Errorf("%+v: %q", o, got)
		}
	}
}

func FuzzPairFilters(f *testing.F) {
	f.Add(filtersOf("amber hives", "behind the house"), uint64(12345))
	f.Add([]byte{0xff, 0xff, 1}, uint64(1))
	f.Fuzz(func(t *testing.T, filters []byte, hash uint64) {
		asked := []int{9, 4, 1, 0}
		got := passingMessages(slices.Clone(asked), filters, []uint64{hash})
		for i, m := range got {
			if !slices.Contains(asked, m) || i > 0 && m >= got[i-1] {
				t.Errorf("%v pass of %v", got, asked)
			}
		}
	})
}
