package wiring

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/builtin"
	"github.com/pamline/pamline/extract/embed"
	"github.com/pamline/pamline/extract/llm"
	"github.com/pamline/pamline/extract/wire"
	"github.com/pamline/pamline/pipeline/extraction"
)

// Extractors are those that the settings give: llm is among them when it has a model. Select
// without names gives the default set of the settings.
func Extractors(c *config.Config) (*extract.Registry, error) {
	var more []extract.Extractor
	if c.LLM.Model != "" {
		x, err := LLM(&c.LLM)
		if err != nil {
			return nil, err
		}
		more = append(more, x)
	}
	r, err := builtin.Registry(more...).WithDefault(strings.Split(c.Extract.Extractors, ",")...)
	if err != nil {
		return nil, fmt.Errorf("read extract.extractors: %w", err)
	}
	return r, nil
}

// LLM is the extractor that asks the model of the settings.
func LLM(m *config.LLM) (*llm.Extractor, error) {
	x, err := llm.New(llm.Options{
		API: m.API, URL: m.URL, Model: m.Model, Key: m.Key.Reveal, Batch: m.Batch,
		Timeout: m.Timeout, Attempts: m.Attempts, Parallel: m.Parallel,
		MaxOutput: m.MaxOutput, Context: m.Context, Effort: m.Effort, ExtraBody: json.RawMessage(m.ExtraBody),
		PriceInput: m.PriceInput, PriceOutput: m.PriceOutput, MaxUSD: m.MaxUSD, MaxTokens: int64(m.MaxTokens),
		Now: time.Now, Sleep: wire.Sleep, Jitter: rand.Float64,
	})
	if err != nil {
		return nil, fmt.Errorf("set up extractor llm: %w", err)
	}
	return x, nil
}

// Embedder makes vectors, if the settings name a model; else there is none.
func Embedder(c *config.Config) (extraction.Embedder, error) {
	m := c.Embeddings
	if m.Model == "" {
		return nil, nil
	}
	e, err := embed.New(embed.Options{
		URL: m.URL, Model: m.Model, Key: m.Key.Reveal(), Dimensions: m.Dimensions, Batch: m.Batch, Timeout: m.Timeout, Attempts: m.Attempts,
		Jitter: rand.Float64,
	})
	if err != nil {
		return nil, fmt.Errorf("set up embeddings: %w", err)
	}
	return e, nil
}
