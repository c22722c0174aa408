package web

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
)

// period is what happened in a month, or on a day.
type activity struct {
	Name  string
	Total int
	Parts []activityPart
	X     int
}

// activityPart is the part of one provider.
type activityPart struct {
	Provider                      string
	Conversations, Memories, Y, H int
	Hue                           int
}

// Sizes of the picture.
const (
	barWidth   = 14
	pictureTop = 180
	maxBars    = 62
)

// timeline shows activity by day or month, as a picture and a table.
func (p *Page) timeline(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	month := v.URL.Query().Get("month")
	length := len("2006-01")
	if month != "" {
		if _, _, err := dayBounds(month); err != nil || len(month) != length {
			return wrongError{"A month looks like 2024-03."}
		}
		length = len("2006-01-02")
	}
	counts := map[string]map[string]*activityPart{}
	at := func(created, provider string) *activityPart {
		if len(created) < length || month != "" && created[:len(month)] != month {
			return &activityPart{}
		}
		name := created[:length]
		if counts[name] == nil {
			counts[name] = map[string]*activityPart{}
		}
		if counts[name][provider] == nil {
			counts[name][provider] = &activityPart{Provider: provider}
		}
		return counts[name][provider]
	}
	for i := range c.talks {
		at(cmp.Or(c.talks[i].Created, c.talks[i].Updated), c.talks[i].Provider).Conversations++
	}
	for i := range c.notes {
		at(c.notes[i].Created, c.notes[i].Provider).Memories++
	}
	bars, providers := arrangeBars(counts)
	p.render(w, v, http.StatusOK, "timeline", "Timeline", map[string]any{
		"Bars": bars, "Providers": providers, "Month": month, "Width": max(1, len(bars)) * barWidth, "Height": pictureTop, "Bar": barWidth - 3,
	})
	return nil
}

// arrangeBars makes the newest activities a picture, the earliest first, and lists the providers by
// their colors.
func arrangeBars(counts map[string]map[string]*activityPart) (bars []activity, providers []option) {
	names := slices.Sorted(maps.Keys(counts))
	hues := map[string]int{}
	for _, name := range names {
		for provider := range counts[name] {
			hues[provider] = 0
		}
	}
	for i, provider := range slices.Sorted(maps.Keys(hues)) {
		hues[provider] = i%8 + 1
		providers = append(providers, option{Value: provider, Name: providerName(provider), Count: i%8 + 1})
	}
	if len(names) > maxBars {
		names = names[len(names)-maxBars:]
	}
	most := 1
	for _, name := range names {
		b := activity{Name: name, X: len(bars) * barWidth}
		for _, provider := range slices.Sorted(maps.Keys(counts[name])) {
			part := counts[name][provider]
			part.Hue = hues[provider]
			b.Parts, b.Total = append(b.Parts, *part), b.Total+part.Conversations
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
	return bars, providers
}
