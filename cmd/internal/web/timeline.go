package web

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strings"
)

// period is what happened in a month, or on a day.
type activity struct {
	Name  string
	Total int
	Parts []activityPart
	X     int
	// Label stands below the bar, "" for none.
	Label string
}

// activityPart is the part of one provider.
type activityPart struct {
	Provider                      string
	Conversations, Memories, Y, H int
	Hue                           int
}

// Sizes of the picture. The bars are right of the numbers, and above the labels; labelStep is how
// many bars a label needs.
const (
	barWidth   = 14
	pictureTop = 180
	leftEdge   = 34
	labelStep  = 4
	maxBars    = 62
)

// timeline shows activity by day or month, as a picture and a table.
func (p *Page) timeline(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	month := v.URL.Query().Get("month")
	if month != "" {
		if _, _, err := dayBounds(month); err != nil || len(month) != len("2006-01") {
			return wrongError{"A month looks like 2024-03."}
		}
	}
	counts := c.months
	if month != "" {
		counts = periods{}
		for name, parts := range c.days {
			if strings.HasPrefix(name, month) {
				counts[name] = parts
			}
		}
	}
	names, before, after := periodsOf(v, counts)
	bars, providers, most := arrangeBars(counts, names)
	p.render(w, v, http.StatusOK, "timeline", "Timeline", map[string]any{
		"Bars": bars, "Providers": providers, "Month": month, "Width": leftEdge + max(20, len(bars))*barWidth, "Height": pictureTop + 20, "Bar": barWidth - 3, "Most": most,
		"Top": 4, "Bottom": pictureTop, "Left": leftEdge, "Before": before, "After": after,
	})
	return nil
}

// periods are the activities of months or days, by provider.
type periods map[string]map[string]activityPart

// periodsBy adds up the activities of a catalog by the first characters of their times.
func periodsBy(c *catalog, length int) periods {
	all := periods{}
	add := func(created, provider string, conversations, memories int) {
		if len(created) < length {
			return
		}
		name := created[:length]
		if all[name] == nil {
			all[name] = map[string]activityPart{}
		}
		part := all[name][provider]
		part.Provider, part.Conversations, part.Memories = provider, part.Conversations+conversations, part.Memories+memories
		all[name][provider] = part
	}
	for i := range c.talks {
		add(cmp.Or(c.talks[i].Created, c.talks[i].Updated), c.talks[i].Provider, 1, 0)
	}
	for i := range c.notes {
		add(c.notes[i].Created, c.notes[i].Provider, 0, 1)
	}
	return all
}

// periodsOf are the months or days that are shown, the earliest first, and the addresses of those
// before and after them.
func periodsOf(v *visit, counts periods) (names []string, before, after string) {
	names = slices.Sorted(maps.Keys(counts))
	end := len(names)
	if until := v.URL.Query().Get("end"); until != "" {
		end, _ = slices.BinarySearch(names, until)
	}
	start := max(0, end-maxBars)
	if start > 0 {
		before = withQuery(v.URL.Query(), "end", names[start])
	}
	if end < len(names) {
		if next := min(len(names), end+maxBars); next < len(names) {
			after = withQuery(v.URL.Query(), "end", names[next])
		} else {
			after = withQuery(v.URL.Query(), "end", "")
		}
	}
	return names[start:end], before, after
}

// arrangeBars makes the activities of some periods a picture, and lists the providers by their
// colors; most is the largest number of conversations of a period.
func arrangeBars(counts periods, names []string) (bars []activity, providers []option, most int) {
	hues := map[string]int{}
	for name := range counts {
		for provider := range counts[name] {
			hues[provider] = 0
		}
	}
	for i, provider := range slices.Sorted(maps.Keys(hues)) {
		hues[provider] = i%8 + 1
		providers = append(providers, option{Value: provider, Name: providerName(provider), Count: i%8 + 1})
	}
	most = 1
	for i, name := range names {
		b := activity{Name: name, X: leftEdge + i*barWidth}
		if i%labelStep == 0 {
			b.Label = name[2:]
		}
		for _, provider := range slices.Sorted(maps.Keys(counts[name])) {
			part := counts[name][provider]
			part.Hue = hues[provider]
			b.Parts, b.Total = append(b.Parts, part), b.Total+part.Conversations
		}
		most = max(most, b.Total)
		bars = append(bars, b)
	}
	for i := range bars {
		y := pictureTop
		for n := range bars[i].Parts {
			part := &bars[i].Parts[n]
			part.H = part.Conversations * (pictureTop - 4) / most
			if part.Conversations > 0 {
				part.H = max(part.H, 2)
			}
			y -= part.H
			part.Y = y
		}
	}
	return bars, providers, most
}
