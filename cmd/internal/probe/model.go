package probe

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/extract/wire"
)

// tiny is the longest answer that is asked for, in tokens. Some models refuse to answer in fewer.
const tiny = 16

// LLM asks the model one question of two words, when there is a model.
func LLM(c config.LLM) Part {
	return Part{Name: "llm", Run: func(ctx context.Context, say *Say) {
		if c.Model == "" {
			say.Note("model", "none is set")
			return
		}
		err := askTiny(ctx, c)
		var refused *wire.StatusError
		var ask *extract.AskError
		if errors.As(err, &refused) && !errors.As(err, &ask) {
			say.Warn("ask "+c.Model, "it answers, and refuses so small a question: "+refused.Error(), "see with one small import whether it takes real ones")
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

// askTiny sends the smallest request that each wire format has.
func askTiny(ctx context.Context, c config.LLM) error {
	question := []map[string]string{{"role": "user", "content": "Say ok."}}
	if c.API == "anthropic" {
		url := strings.TrimRight(c.URL, "/")
		if url == "" {
			url = "https://api.anthropic.com"
		}
		header := http.Header{"Anthropic-Version": {"2023-06-01"}}
		if c.Key.IsSet() {
			header.Set("X-Api-Key", c.Key.Reveal())
		}
		return post(ctx, strings.TrimSuffix(url, "/v1")+"/v1", header, c.Timeout, "/messages", map[string]any{"model": c.Model, "max_tokens": tiny, "messages": question})
	}
	url := c.URL
	if url == "" {
		url = "https://api.openai.com/v1"
	}
	err := post(ctx, url, wire.Bearer(c.Key.Reveal()), c.Timeout, "/chat/completions", map[string]any{"model": c.Model, "max_tokens": tiny, "messages": question})
	var refused *wire.StatusError
	if errors.As(err, &refused) && refused.Status == http.StatusBadRequest {
		// Newer models have another name for the limit.
		err = post(ctx, url, wire.Bearer(c.Key.Reveal()), c.Timeout, "/chat/completions", map[string]any{"model": c.Model, "max_completion_tokens": tiny, "messages": question})
	}
	return err
}

func post(ctx context.Context, url string, header http.Header, timeout time.Duration, path string, body any) error {
	client, err := wire.New(wire.Options{URL: url, Header: header, Timeout: timeout, Attempts: 1})
	if err != nil {
		return err
	}
	data, err := json.Marshal(body)
	if err != nil {
		return fmt.Errorf("write request: %w", err)
	}
	_, err = client.JSON(ctx, wire.Request{Path: path, Body: data})
	return err
}
