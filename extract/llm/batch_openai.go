package llm

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"mime/multipart"
	"net/textproto"
	"net/url"
	"slices"
	"time"

	"github.com/pamline/pamline/extract"
	"github.com/pamline/pamline/extract/wire"
)

// openAIBatches is the batch API of OpenAI: a file with a request a line goes up, one with the
// answers comes down, in any order.
type openAIBatches struct{}

func (openAIBatches) item(id string, body []byte) ([]byte, error) {
	line, err := json.Marshal(struct {
		ID     string          `json:"custom_id"`
		Method string          `json:"method"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
	}{id, "POST", "/v1/chat/completions", body})
	if err != nil {
		return nil, fmt.Errorf("write request of batch: %w", err)
	}
	return line, nil
}

func (openAIBatches) submit(ctx context.Context, x *Extractor, tag string, items [][]byte) (string, error) {
	var form bytes.Buffer
	w := multipart.NewWriter(&form)
	if err := writeForm(w, tag, items); err != nil {
		return "", fmt.Errorf("write file of batch: %w", err)
	}
	answer, err := x.once.JSON(ctx, wire.Request{Path: "/files", Type: w.FormDataContentType(), Body: form.Bytes()})
	if err != nil {
		return "", err
	}
	file, err := idIn(answer.Body)
	if err != nil {
		return "", err
	}
	body, err := json.Marshal(object{"input_file_id": file, "endpoint": "/v1/chat/completions", "completion_window": "24h", "metadata": object{tagName: tag}})
	if err != nil {
		return "", fmt.Errorf("write batch: %w", err)
	}
	if answer, err = x.once.JSON(ctx, wire.Request{Path: "/batches", Body: body}); err != nil {
		return "", err
	}
	return idIn(answer.Body)
}

// tagName is the name of the tag in the metadata of a batch.
const tagName = "pamline"

func writeForm(w *multipart.Writer, tag string, items [][]byte) error {
	if err := w.SetBoundary(tag); err != nil {
		return err
	}
	if err := w.WriteField("purpose", "batch"); err != nil {
		return err
	}
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="file"; filename="` + tag + `.jsonl"`}, "Content-Type": {"application/jsonl"},
	})
	if err != nil {
		return err
	}
	for _, line := range items {
		if _, err := part.Write(append(slices.Clip(line), '\n')); err != nil {
			return err
		}
	}
	return w.Close()
}

// idIn reads the name that a service gave to something.
func idIn(body []byte) (string, error) {
	var doc struct {
		ID string `json:"id"`
	}
	if json.Unmarshal(body, &doc) != nil || doc.ID == "" {
		return "", strange("read answer of service: there is no id in it")
	}
	return doc.ID, nil
}

// strange is an answer of the batch API that is not in its form.
func strange(doing string) error {
	return &extract.AskError{Err: fmt.Errorf("%s: %w", doing, errForm), Hint: "Check that the service has a batch API, or turn llm.batch off."}
}

type openAIBatch struct {
	ID        string            `json:"id"`
	Status    string            `json:"status"`
	Created   int64             `json:"created_at"`
	Output    string            `json:"output_file_id"`
	ErrorFile string            `json:"error_file_id"`
	Metadata  map[string]string `json:"metadata"`
	Errors    struct {
		Data []struct {
			Code string `json:"code"`
		} `json:"data"`
	} `json:"errors"`
}

func (openAIBatches) find(ctx context.Context, x *Extractor, b *batchRecord) ([]string, bool, error) {
	query := url.Values{"limit": {"100"}}
	for range maxPages {
		answer, err := x.client.JSON(ctx, wire.Request{Path: "/batches", Query: query})
		if err != nil {
			return nil, true, err
		}
		var page struct {
			Data []openAIBatch `json:"data"`
			More bool          `json:"has_more"`
		}
		if json.Unmarshal(answer.Body, &page) != nil {
			return nil, true, strange("read list of batches")
		}
		for _, one := range page.Data {
			if one.Metadata[tagName] == b.Tag && one.Status != "failed" {
				return []string{one.ID}, true, nil
			}
		}
		n := len(page.Data)
		if !page.More || n == 0 || time.Unix(page.Data[n-1].Created, 0).Before(b.since()) {
			break
		}
		query.Set("after", page.Data[n-1].ID)
	}
	return nil, true, nil
}

// maxPages is how many pages of a list of batches are looked at, of a hundred each.
const maxPages = 50

func (openAIBatches) poll(ctx context.Context, x *Extractor, id string) (batchState, error) {
	answer, err := x.client.JSON(ctx, wire.Request{Path: "/batches/" + url.PathEscape(id)})
	if err != nil {
		return batchState{}, err
	}
	var b openAIBatch
	if json.Unmarshal(answer.Body, &b) != nil || b.Status == "" {
		return batchState{}, strange("read state of batch")
	}
	s := batchState{id: id}
	switch b.Status {
	case "completed", "expired", "cancelled":
		s.ended = true
	case "failed":
		s.ended, s.failed = true, "failed"
		for _, e := range b.Errors.Data {
			s.failed = safeCode(e.Code)
			s.again = e.Code == "token_limit_exceeded"
			break
		}
	}
	for _, f := range []string{b.Output, b.ErrorFile} {
		if f != "" {
			s.files = append(s.files, f)
		}
	}
	return s, nil
}

// safeCode is a code out of an answer if it looks like one: it goes into an error.
func safeCode(code string) string {
	if !name(code) {
		return "failed"
	}
	return code
}

func (openAIBatches) results(ctx context.Context, x *Extractor, s batchState, each func(string, batchResult) error) error {
	for _, file := range s.files {
		stream, err := x.client.Open(ctx, wire.Request{Path: "/files/" + url.PathEscape(file) + "/content"})
		if err != nil {
			return err
		}
		err = lines(stream, func(line []byte) error {
			id, r, ok := readOpenAIResult(line)
			if !ok {
				return nil // whose it is cannot be told: that request counts as unanswered
			}
			return each(id, r)
		})
		stream.Close()
		if err != nil {
			return err
		}
	}
	return nil
}

func readOpenAIResult(line []byte) (id string, r batchResult, ok bool) {
	var doc struct {
		ID       string `json:"custom_id"`
		Response *struct {
			Status int             `json:"status_code"`
			Body   json.RawMessage `json:"body"`
		} `json:"response"`
	}
	if json.Unmarshal(line, &doc) != nil || doc.ID == "" {
		return "", r, false
	}
	if doc.Response == nil {
		return doc.ID, r, true
	}
	r.status = doc.Response.Status
	if r.status == 200 {
		r.reply, r.err = openAI{}.read(doc.Response.Body)
		return doc.ID, r, true
	}
	var failure struct {
		Error struct {
			Type    string `json:"type"`
			Code    any    `json:"code"`
			Message string `json:"message"`
		} `json:"error"`
	}
	if json.Unmarshal(doc.Response.Body, &failure) == nil {
		r.code, r.message = failure.Error.Type+" "+fmt.Sprint(failure.Error.Code), failure.Error.Message
	}
	return doc.ID, r, true
}

// lines calls each with the lines of a stream, those without text left out.
func lines(stream io.Reader, each func([]byte) error) error {
	s := bufio.NewScanner(stream)
	s.Buffer(make([]byte, 0, 64<<10), maxBody)
	for s.Scan() {
		line := bytes.TrimSpace(s.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := each(line); err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return fmt.Errorf("read results of batch: %w", err)
	}
	return nil
}
