package llm

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

func (s *service) serveBatch(w http.ResponseWriter, r *http.Request, body []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	path := strings.TrimPrefix(r.URL.Path, "/v1")
	switch {
	case r.Method == "POST" && path == "/files":
		id := fmt.Sprintf("file-%d", len(s.files))
		s.files[id] = fileIn(s.t, r.Header.Get("Content-Type"), body)
		writeJSON(w, 200, object{"id": id})
	case r.Method == "POST" && path == "/batches":
		var in struct {
			File     string            `json:"input_file_id"`
			Metadata map[string]string `json:"metadata"`
		}
		if err := json.Unmarshal(body, &in); err != nil {
			s.t.Errorf("batch: %v", err)
		}
		b := s.addBatch(in.Metadata[tagName])
		for _, line := range bytes.Split(bytes.TrimSpace(s.files[in.File]), []byte("\n")) {
			b.lines = append(b.lines, line)
		}
		s.created(w, b)
	case r.Method == "POST" && path == "/messages/batches":
		var in struct {
			Requests []json.RawMessage `json:"requests"`
		}
		if err := json.Unmarshal(body, &in); err != nil {
			s.t.Errorf("batch: %v", err)
		}
		b := s.addBatch("")
		b.lines = in.Requests
		s.created(w, b)
	case r.Method == "GET" && (path == "/batches" || path == "/messages/batches"):
		list := []any{}
		for i := len(s.batches) - 1; i >= 0; i-- {
			list = append(list, s.describe(s.batches[i]))
		}
		writeJSON(w, 200, object{"data": list, "has_more": false})
	case strings.HasSuffix(path, "/results"), strings.HasSuffix(path, "/content"):
		s.serveResults(w, path)
	default:
		id := path[strings.LastIndex(path, "/")+1:]
		for _, b := range s.batches {
			if b.id == id {
				b.polls++
				writeJSON(w, 200, s.describe(b))
				return
			}
		}
		writeJSON(w, 404, object{"error": object{"type": "not_found_error", "message": "no such batch"}})
	}
}

func (s *service) addBatch(tag string) *fakeBatch {
	b := &fakeBatch{id: fmt.Sprintf("batch_%d", len(s.batches)), tag: tag, created: testNow}
	s.batches = append(s.batches, b)
	return b
}

// created answers a submission, or loses the answer.
func (s *service) created(w http.ResponseWriter, b *fakeBatch) {
	if s.loseSubmit {
		s.loseSubmit = false
		panic(http.ErrAbortHandler)
	}
	writeJSON(w, 200, s.describe(b))
}

func (s *service) describe(b *fakeBatch) object {
	ended := b.polls > s.pollsLeft
	o := object{
		"id": b.id, "created_at": testNow.Unix(), "status": "in_progress", "processing_status": "in_progress", "metadata": object{tagName: b.tag},
		"request_counts": object{"processing": len(b.lines)},
	}
	if strings.Contains(string(b.lines[0]), `"params"`) {
		o["created_at"] = testNow.Format(time.RFC3339)
	}
	if ended {
		o["status"], o["processing_status"], o["output_file_id"] = "completed", "ended", "out-"+b.id
	}
	if s.failBatch != "" {
		o["status"], o["errors"] = "failed", object{"data": []object{{"code": s.failBatch}}}
	}
	return o
}

// serveResults gives the results of a batch in reverse order.
func (s *service) serveResults(w http.ResponseWriter, path string) {
	for round, b := range s.batches {
		if !strings.Contains(path, "/"+b.id+"/") && !strings.Contains(path, "/out-"+b.id+"/") {
			continue
		}
		for i := len(b.lines) - 1; i >= 0; i-- {
			fault := ""
			if s.batchFault != nil {
				fault = s.batchFault(round, i)
			}
			s.mu.Unlock()
			line := s.result(b.lines[i], fault)
			s.mu.Lock()
			if line != "" {
				fmt.Fprintln(w, line)
			}
		}
		return
	}
	w.WriteHeader(404)
}

// result is the line about one request of a batch.
func (s *service) result(request []byte, fault string) string {
	var in struct {
		ID     string          `json:"custom_id"`
		URL    string          `json:"url"`
		Body   json.RawMessage `json:"body"`
		Params json.RawMessage `json:"params"`
	}
	if err := json.Unmarshal(request, &in); err != nil {
		s.t.Errorf("request of batch: %v", err)
	}
	path, body := "/chat/completions", in.Body
	if in.Params != nil {
		path, body = "/messages", in.Params
	}
	status, answer := s.complete(path, body)
	switch fault {
	case "missing":
		return ""
	case "garbage":
		return `{"custom_id": "`
	case "foreign":
		in.ID = "somebody-else-0"
	case "expired":
		status = 0
	case "500":
		status, answer = 500, object{"error": object{"type": "api_error"}}
	case "cut":
		text, _ := attentive("")
		if path == "/messages" {
			answer = anthropicAnswer(text[:10], "length", rungPlain)
		} else {
			answer = openAIAnswer(text[:10], "length", rungPlain, 1000)
		}
	}
	var line any
	switch {
	case in.Params == nil && status == 0:
		line = object{"custom_id": in.ID, "response": nil, "error": object{"code": "batch_expired"}}
	case in.Params == nil:
		line = object{"custom_id": in.ID, "response": object{"status_code": status, "body": answer}, "error": nil}
	case status == 0:
		line = object{"custom_id": in.ID, "result": object{"type": "expired"}}
	case status != 200:
		line = object{"custom_id": in.ID, "result": object{"type": "errored", "error": object{"type": "error", "error": object{"type": "api_error"}}}}
	default:
		line = object{"custom_id": in.ID, "result": object{"type": "succeeded", "message": answer}}
	}
	text, err := json.Marshal(line)
	if err != nil {
		s.t.Errorf("result of batch: %v", err)
	}
	return string(text)
}

// fileIn takes the file out of a form.
func fileIn(t *testing.T, contentType string, body []byte) []byte {
	r := &http.Request{Method: "POST", Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(bytes.NewReader(body))}
	file, _, err := r.FormFile("file")
	if err != nil {
		t.Errorf("read form: %v", err)
		return nil
	}
	if r.FormValue("purpose") != "batch" {
		t.Errorf("purpose is %q", r.FormValue("purpose"))
	}
	data, err := io.ReadAll(file)
	if err != nil {
		t.Errorf("read file: %v", err)
	}
	return data
}
