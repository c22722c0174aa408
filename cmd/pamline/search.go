package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/cmd/internal/datadir"
	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/memory"
	"github.com/pamline/pamline/cmd/internal/progress"
	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/pamio"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/search"
)

type searchCommand struct {
	period
	Role    string   `enum:"any,user,assistant,system,tool" default:"any" help:"Only messages of this role: user, assistant, system or tool."`
	In      []string `placeholder:"KIND" help:"Only in messages, memories, titles or assets (names of files). Default: everywhere."`
	Without []string `placeholder:"WORD" help:"Exclude results with this word or phrase, like -WORD. May be repeated."`
	Sort    string   `enum:"relevance,time" default:"relevance" help:"The best results first (relevance), or the newest ones (time)."`
	Limit   int      `placeholder:"N" default:"20" help:"Show at most N results. 0 shows all."`
	Exact   bool     `help:"Compare words only. Without it, a model for vectors (embeddings.model) is asked what the words mean, and memories that mean the same are found, too."`
	Bundle  string   `type:"path" placeholder:"PATH" help:"Search this bundle (folder or zip) or store file instead of the data folder."`
	Words   []string `arg:"" help:"Words to find; all must occur. \"a phrase\" in double quotes, begin* for a beginning, -word for a word that must not occur."`
	bundleFlags
	format
	outgoing `kong:"-"`
}

func (searchCommand) Help() string {
	return "Searches all conversations and memories. Case, accents and Arabic vowel signs make no difference. If there are few results,\n" +
		"other forms of the words are searched, too. Protect the quotes of a phrase from the shell: '\"olive oil\"'. The first search after\n" +
		"an import updates an index, a cache in the data folder that can be deleted; docs/find.md has the details.\n\n" +
		"Examples:\n  pamline search walnut allergy\n  pamline search '\"olive oil\" pasta* -garlic' --since 2024 --role user\n  pamline search --in memories --sort time --format json tea"
}

// query reads the words and flags.
func (c *searchCommand) query() (q search.Query, o search.Options, err error) {
	text := strings.Join(c.Words, " ")
	for _, w := range c.Without {
		text += ` -"` + strings.ReplaceAll(w, `"`, " ") + `"`
	}
	if q, err = search.ParseQuery(text); err != nil {
		return q, o, err
	}
	o = search.Options{Provider: c.Provider, In: c.In, ByTime: c.Sort == "time", Limit: c.Limit}
	if c.Role != "any" {
		o.Role = c.Role
	}
	for _, kind := range c.In {
		if !slices.Contains(search.Kinds(), kind) {
			return q, o, fmt.Errorf("search: --in %s: use %s", kind, strings.Join(search.Kinds(), ", "))
		}
	}
	if c.Limit < 0 {
		return q, o, errors.New("search: --limit is below 0")
	}
	o.Since, o.Until, err = c.bounds(time.Now())
	return q, o, err
}

func (c *searchCommand) Run(a *app) (err error) {
	q, o, err := c.query()
	if err != nil {
		return exit.With(exit.Usage, err)
	}
	if o.Vector, err = c.meaning(a, o); err != nil {
		return err
	}
	memory.Limit(os.Getenv(memory.Environ), search.MemoryAim, os.DirFS("/"), search.MemoryAim)
	path, remove, err := c.bundle(a, c.Bundle)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	b, err := openBundle(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	found, err := c.find(a, b, q, o)
	if err != nil {
		return err
	}
	withheld, err := c.withheldIn(b)
	if err != nil {
		return err
	}
	found.Hits = openHits(found.Hits, withheld)
	if err := c.print(a, append(searchResults{}, found.Hits...)); err != nil { // an empty list is no null
		return err
	}
	switch {
	case len(found.Hits) == 0:
		a.say("nothing was found")
	case found.Hits[0].Match == "some":
		a.say("nothing has all of the words; these have some of them")
	case found.More:
		a.say("there are more results; --limit %d shows more", 5*c.Limit)
	}
	return nil
}

// meaning asks the model of the settings what the words mean. If it does not answer, words are
// compared all the same.
func (c *searchCommand) meaning(a *app, o search.Options) (*search.Vector, error) {
	if c.Exact || o.Role != "" || len(o.In) > 0 && !slices.Contains(o.In, search.KindMemory) {
		return nil, nil
	}
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return nil, err
	}
	e, err := wiring.Embedder(loaded)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(a.ctx, meaningPatience)
	defer cancel()
	v, err := vectorOf(ctx, e, strings.Join(c.Words, " "))
	if err != nil && a.ctx.Err() == nil {
		a.say("only words were compared, because the model for vectors does not answer: %v", err)
		return nil, nil
	}
	return v, err
}

// meaningPatience is how long a search waits for the model for vectors.
const meaningPatience = 10 * time.Second

// find searches the index of the owner in the data folder. That of a bundle which was named, and
// that of a data folder in which nothing can be written, is in memory. A damaged one is made again.
func (c *searchCommand) find(a *app, b *pamio.Bundle, q search.Query, o search.Options) (found search.Result, err error) {
	path, digest := "", ""
	if c.Bundle == "" {
		if path, digest, err = c.cache(a); err != nil {
			return found, err
		}
	}
	found, err = findIn(a, path, digest, b, q, o)
	switch {
	case path == "":
	case errors.Is(err, search.ErrCache):
		found, err = findIn(a, "", "", b, q, o)
	case errors.Is(err, search.ErrDamaged):
		if err := search.Remove(path); err != nil {
			return found, err
		}
		found, err = findIn(a, path, digest, b, q, o)
	}
	return found, err
}

// findIn searches one index, brought up to date.
func findIn(a *app, path, digest string, b *pamio.Bundle, q search.Query, o search.Options) (found search.Result, err error) {
	show := progress.New(a.stderr, a.terminal)
	x, changes, err := search.OpenCurrent(a.ctx, path, b, digest, func(n int) { show.Count("indexing", int64(n), 0) })
	show.Stop()
	if err != nil {
		return found, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	if changes.Unreadable > 0 {
		a.say("the files of %s cannot be read, so only titles of those are found; pamline validate says why", pluralNoun(int64(changes.Unreadable), "conversation"))
	}
	return x.Find(a.ctx, b, q, o)
}

// cache is the file of the owner's index, and the digest of the store to compare it with. That of
// an encrypted store is in memory.
func (c *searchCommand) cache(a *app) (path, digest string, err error) {
	loaded, err := c.load(a, map[string]string{"data": c.Data, "owner": c.Owner})
	if err != nil {
		return "", "", err
	}
	owner, err := storeOwner(loaded)
	if err != nil {
		return "", "", err
	}
	data, err := datadir.Look(loaded.Data)
	if err != nil {
		return "", "", err
	}
	err = withStore(a, loaded, func(s blob.Store) error {
		path = indexFile(s, data.Path(), owner)
		head, _, err := state.ReadHead(a.ctx, s, owner)
		digest = head.Store
		return err
	})
	return path, digest, err
}
