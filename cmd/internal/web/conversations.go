package web

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/search"
)

// home leads to what there is to see.
func (p *Page) home(w http.ResponseWriter, v *visit) error {
	if v.isOperator {
		seeOther(w, v, "operations")
		return nil
	}
	c, err := v.shelf.catalog(v.Context(), false)
	switch {
	case err == errNoStore, err == nil && len(c.talks)+len(c.notes) == 0: //nolint:errorlint // it is returned as it is
		seeOther(w, v, "imports")
	case err != nil:
		return err
	default:
		seeOther(w, v, "conversations")
	}
	return nil
}

// conversations lists conversations, the newest first.
func (p *Page) conversations(w http.ResponseWriter, v *visit) error {
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	q := v.URL.Query()
	since, until, err := bounds(v)
	if err != nil {
		return err
	}
	provider, title := q.Get("provider"), strings.ToLower(strings.TrimSpace(q.Get("title")))
	var found []int
	for i := range c.talks {
		t := &c.talks[i]
		if provider != "" && t.Provider != provider || !isWithin(t.at, since, until) || title != "" && !strings.Contains(strings.ToLower(t.Title), title) {
			continue
		}
		found = append(found, i)
	}
	part, err := pageOf(v, len(found))
	if err != nil {
		return err
	}
	type row struct {
		talk
		Memories int
	}
	var rows []row
	for _, i := range found[part.From:part.To] {
		rows = append(rows, row{c.talks[i], len(c.told[c.talks[i].ID])})
	}
	p.render(w, v, http.StatusOK, "conversations", "Conversations", map[string]any{
		"Rows": rows, "Paging": part, "Query": q,
		"Providers": choose(c.choices.providers, provider),
	})
	return nil
}

// searchLimit is how many hits a page shows at first, and maxHits at most.
const (
	searchLimit = 50
	maxHits     = 500
)

// meaningPatience is how long a search waits for the model that says what words mean.
const meaningPatience = 2 * time.Second

// rolesOf are the choices of who said something.
func rolesOf(chosen string) (all []option) {
	for _, role := range []option{{Value: "user", Name: "You"}, {Value: "assistant", Name: "Assistants"}, {Value: "tool", Name: "Tools"}, {Value: "system", Name: "System"}} {
		role.Chosen = role.Value == chosen
		all = append(all, role)
	}
	return all
}

// search finds words everywhere.
func (p *Page) search(w http.ResponseWriter, v *visit) error {
	q := v.URL.Query()
	data := map[string]any{"Query": q, "Kinds": []option{{"", "Everything", 0, q.Get("in") == ""}, {search.KindMessage, "Messages", 0, q.Get("in") == search.KindMessage}, {search.KindMemory, "Memories", 0, q.Get("in") == search.KindMemory}, {search.KindTitle, "Titles", 0, q.Get("in") == search.KindTitle}, {search.KindAsset, "Files", 0, q.Get("in") == search.KindAsset}}}
	data["Roles"] = rolesOf(q.Get("role"))
	c, err := v.shelf.catalog(v.Context(), false)
	if err != nil {
		return err
	}
	data["Providers"] = choose(c.choices.providers, q.Get("provider"))
	words := strings.TrimSpace(q.Get("q"))
	if words == "" {
		p.render(w, v, http.StatusOK, "search", "Search", data)
		return nil
	}
	query, err := search.ParseQuery(words)
	if err != nil {
		return wrongError{"There is no word to find in that."}
	}
	o := search.Options{Provider: q.Get("provider"), Limit: searchLimit, ByTime: q.Get("sort") == "time", Role: q.Get("role")}
	if n, err := strconv.Atoi(q.Get("limit")); err == nil && n > 0 {
		o.Limit = min(n, maxHits)
	}
	if o.Since, o.Until, err = bounds(v); err != nil {
		return err
	}
	if kind := q.Get("in"); kind != "" {
		o.In = []string{kind}
	}
	if p.o.Meaning != nil && o.Role == "" && (len(o.In) == 0 || o.In[0] == search.KindMemory) {
		ctx, cancel := context.WithTimeout(v.Context(), meaningPatience)
		o.Vector, err = p.o.Meaning(ctx, words)
		cancel()
		data["WordsOnly"] = err != nil
	}
	found, err := v.shelf.find(v.Context(), c, query, o)
	if err != nil {
		return err
	}
	if found.More && o.Limit < maxHits {
		data["MorePath"] = withQuery(q, "limit", strconv.Itoa(min(maxHits, 2*o.Limit)))
	}
	data["Hits"], data["More"], data["Words"] = hitsOf(found.Hits), found.More, words
	p.render(w, v, http.StatusOK, "search", "Search", data)
	return nil
}

// shownHit is a hit with its address.
type shownHit struct {
	search.Hit
	Path  string
	Shown any
}

func hitsOf(hits []search.Hit) (all []shownHit) {
	for _, h := range hits {
		one := shownHit{Hit: h}
		var spans []span
		for _, m := range h.Matches {
			spans = append(spans, span{m[0], m[1]})
		}
		one.Shown = markSpans(h.Text, spans)
		switch {
		case h.Memory != "":
			one.Path = "memories/" + h.Memory
		case h.Message != "":
			one.Path = messagePath(h.Conversation, h.Message, nil)
		default:
			one.Path = "conversations/" + h.Conversation
		}
		all = append(all, one)
	}
	return all
}
