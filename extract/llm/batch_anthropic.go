package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"time"

	"github.com/pamline/pamline/extract/wire"
)

// anthropicBatches is the batch API of Anthropic: all requests in one body. A batch has no
// metadata; what tells ours is the names of its requests, which the service shows when it has
// ended.
type anthropicBatches struct{}

func (anthropicBatches) item(id string, body []byte) ([]byte, error) {
	one, err := json.Marshal(struct {
		ID     string          `json:"custom_id"`
		Params json.RawMessage `json:"params"`
	}{id, body})
	if err != nil {
		return nil, fmt.Errorf("write request of batch: %w", err)
	}
	return one, nil
}

func (anthropicBatches) submit(ctx context.Context, x *Extractor, _ string, items [][]byte) (string, error) {
	body := []byte(`{"requests":[`)
	for i, one := range items {
		if i > 0 {
			body = append(body, ',')
		}
		body = append(body, one...)
	}
	answer, err := x.once.JSON(ctx, wire.Request{Path: "/messages/batches", Body: append(body, "]}"...)})
	if err != nil {
		return "", err
	}
	return idIn(answer.Body)
}

type anthropicBatch struct {
	ID      string    `json:"id"`
	Status  string    `json:"processing_status"`
	Created time.Time `json:"created_at"`
	Counts  struct {
		Processing int `json:"processing"`
		Succeeded  int `json:"succeeded"`
		Errored    int `json:"errored"`
		Canceled   int `json:"canceled"`
		Expired    int `json:"expired"`
	} `json:"request_counts"`
}

func (anthropicBatches) find(ctx context.Context, x *Extractor, b *batchRecord) ([]string, bool, error) {
	query := url.Values{"limit": {"100"}}
	var ids []string
	for range maxPages {
		answer, err := x.client.JSON(ctx, wire.Request{Path: "/messages/batches", Query: query})
		if err != nil {
			return nil, false, err
		}
		var page struct {
			Data []anthropicBatch `json:"data"`
			More bool             `json:"has_more"`
			Last string           `json:"last_id"`
		}
		if json.Unmarshal(answer.Body, &page) != nil {
			return nil, false, strange("read list of batches")
		}
		old := false
		for _, one := range page.Data {
			n := one.Counts.Processing + one.Counts.Succeeded + one.Counts.Errored + one.Counts.Canceled + one.Counts.Expired
			old = one.Created.Before(b.since())
			if !old && n == len(b.Keys) {
				ids = append(ids, one.ID)
			}
		}
		if !page.More || page.Last == "" || old {
			break
		}
		query.Set("after_id", page.Last)
	}
	return ids, false, nil
}

func (anthropicBatches) poll(ctx context.Context, x *Extractor, id string) (batchState, error) {
	answer, err := x.client.JSON(ctx, wire.Request{Path: "/messages/batches/" + url.PathEscape(id)})
	if err != nil {
		return batchState{}, err
	}
	var b anthropicBatch
	if json.Unmarshal(answer.Body, &b) != nil || b.Status == "" {
		return batchState{}, strange("read state of batch")
	}
	return batchState{id: id, ended: b.Status == "ended"}, nil
}

func (anthropicBatches) results(ctx context.Context, x *Extractor, s batchState, each func(string, batchResult) error) error {
	stream, err := x.client.Open(ctx, wire.Request{Path: "/messages/batches/" + url.PathEscape(s.id) + "/results"})
	if err != nil {
		return err
	}
	defer stream.Close()
	return lines(stream, func(line []byte) error {
		id, r, ok := readAnthropicResult(line)
		if !ok {
			return nil // whose it is cannot be told: that request counts as unanswered
		}
		return each(id, r)
	})
}

// anthropicStatus gives the status that an error of a batch has when it is asked alone.
var anthropicStatus = map[string]int{
	"invalid_request_error": 400, "authentication_error": 401, "billing_error": 402, "permission_error": 403, "not_found_error": 404,
	"request_too_large": 413, "rate_limit_error": 429, "api_error": 500, "timeout_error": 504, "overloaded_error": 529,
}

func readAnthropicResult(line []byte) (id string, r batchResult, ok bool) {
	var doc struct {
		ID     string `json:"custom_id"`
		Result struct {
			Type    string          `json:"type"`
			Message json.RawMessage `json:"message"`
			Error   struct {
				Error struct {
					Type    string `json:"type"`
					Message string `json:"message"`
				} `json:"error"`
			} `json:"error"`
		} `json:"result"`
	}
	if json.Unmarshal(line, &doc) != nil || doc.ID == "" {
		return "", r, false
	}
	switch doc.Result.Type {
	case "succeeded":
		r.status = 200
		r.reply, r.err = anthropic{}.read(doc.Result.Message)
	case "errored":
		e := doc.Result.Error.Error
		r.code, r.message = e.Type, e.Message
		if r.status = anthropicStatus[e.Type]; r.status == 0 {
			r.status = 500
		}
	}
	return doc.ID, r, true
}
