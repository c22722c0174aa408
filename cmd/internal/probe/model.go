package probe

import (
	"context"
	"errors"

	"github.com/pamline/pamline/cmd/internal/wiring"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
)

// LLM asks the model about nothing, in the form of every question, when there is a model.
func LLM(c config.LLM) Part {
	return Part{Name: "llm", Run: func(ctx context.Context, say *Say) {
		if c.Model == "" {
			say.Note("model", "none is set")
			return
		}
		c.Attempts = 1
		form := ""
		x, err := wiring.LLM(&c)
		if err == nil {
			form, err = x.Check(ctx)
		}
		if err == nil {
			say.OK("ask "+c.Model, "it answers, held to the form by "+form)
			return
		}
		model(say, "ask "+c.Model, err)
	}}
}

// Embeddings asks for the vector of one word, when there is a model.
func Embeddings(c config.Embeddings) Part {
	return Part{Name: "embeddings", Run: func(ctx context.Context, say *Say) {
		if c.Model == "" {
			say.Note("model", "none is set")
			return
		}
		client, err := embed.New(embed.Options{URL: c.URL, Model: c.Model, Key: c.Key.Reveal(), Dimensions: c.Dimensions, Timeout: c.Timeout, Attempts: 1})
		if err == nil {
			_, _, err = client.Embed(ctx, []string{"pamline"})
		}
		model(say, "make a vector with "+c.Model, err)
	}}
}

func model(say *Say, what string, err error) {
	var ask *extract.AskError
	if errors.As(err, &ask) {
		say.Fail(what, err, ask.Hint)
		return
	}
	say.Try(what, "", err)
}
