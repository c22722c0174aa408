package probe

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/config"
)

func bucketSettings(cfg gateway.Config) config.Store {
	c := config.Default().Store
	c.Kind, c.S3.Bucket, c.S3.Endpoint, c.S3.Region, c.S3.PathStyle = "s3", cfg.Bucket, cfg.Endpoint, cfg.Region, true
	c.S3.AccessKeyID, c.S3.SecretAccessKey = cfg.AccessKey, config.NewSecret(cfg.SecretKey)
	return c
}

func TestAGoodBucketPassesAndIsLeftEmpty(t *testing.T) {
	cfg := gateway.Start(t)
	lines := run(t, Store(bucketSettings(cfg), "", "1"))
	for _, l := range lines {
		if l.State == Fail {
			t.Errorf("%+v", l)
		}
	}
	for _, what := range []string{"get the metadata of an object back", "refuse to write one in parts that exists, and drop its parts", "compare the store's clock with that of this machine"} {
		if l := find(t, lines, what); l.State != OK {
			t.Errorf("%+v", l)
		}
	}
	s, err := s3.Open(t.Context(), s3.Options{Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true, AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	for o, err := range s.List(t.Context(), "") {
		t.Errorf("left behind: %s (%v)", o.Key, err)
	}
}

func TestBucketThatCannotBeUsedSaysWhatToDo(t *testing.T) {
	cfg := gateway.Start(t)
	for want, change := range map[string]func(*config.S3){
		"make it, or correct its name": func(c *config.S3) { c.Bucket = "no-such-bucket" },
		"the keys are wrong":           func(c *config.S3) { c.SecretAccessKey = config.NewSecret("CANARY-CANARY") },
		"check the endpoint":           func(c *config.S3) { c.Endpoint = "http://127.0.0.1:1" },
		"store.s3.ca_file":             func(c *config.S3) { c.CAFile = filepath.Join(t.TempDir(), "none.pem") },
	} {
		c := bucketSettings(cfg)
		change(&c.S3)
		lines := run(t, Store(c, "", "1"))
		last := lines[len(lines)-1]
		if last.State != Fail || !strings.Contains(last.Why, want) || strings.Contains(last.Why, "CANARY") {
			t.Errorf("%s: %+v", want, lines)
		}
	}
}

func TestBucketsSetUpIsJudged(t *testing.T) {
	say := &Say{}
	describe(say, s3.Bucket{Versioning: "on", Encryption: "aws:kms", Uploads: "kept for ever", Ahead: -time.Hour, ClockKnown: true})
	for what, word := range map[string]string{
		"versioning of the bucket": "old version", "what unfinished uploads leave": "for ever",
		"compare the store's clock with that of this machine": "1h0m0s behind",
	} {
		if l := find(t, say.lines, what); l.State != Warn || !strings.Contains(l.Why, word) || l.Do == "" {
			t.Errorf("%+v", l)
		}
	}
}

// service answers every question with a status and a body, and keeps what it was asked.
func service(t *testing.T, answer func(body string) (int, string)) (url string, asked *[]string) {
	t.Helper()
	asked = new([]string)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			return
		}
		*asked = append(*asked, r.URL.Path+" "+string(body))
		status, text := answer(string(body))
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(server.Close)
	return server.URL, asked
}

// noMemories is an answer without memories, as each wire format has it.
var noMemories = map[string]string{
	"openai":    `{"choices":[{"message":{"content":"{\"memories\":[],\"injection_suspected\":false}"}}]}`,
	"anthropic": `{"content":[{"type":"text","text":"{\"memories\":[],\"injection_suspected\":false}"}],"stop_reason":"end_turn"}`,
	"ollama":    `{"message":{"content":"{\"memories\":[],\"injection_suspected\":false}"},"done_reason":"stop"}`,
}

func TestModelIsAskedAQuestionInTheFormOfAll(t *testing.T) {
	for api, path := range map[string]string{"openai": "/v1/chat/completions", "anthropic": "/v1/messages", "ollama": "/api/chat"} {
		url, asked := service(t, func(string) (int, string) { return 200, noMemories[api] })
		c := config.Default().LLM
		c.API, c.URL, c.Model, c.Key = api, url+"/v1", "m", config.NewSecret("CANARY-CANARY")
		if l := find(t, run(t, LLM(c)), "ask m"); l.State != OK || !strings.Contains(l.Why, "json_schema") {
			t.Errorf("%s: %+v", api, l)
		}
		if len(*asked) != 1 || !strings.HasPrefix((*asked)[0], path+" ") {
			t.Errorf("%s: asked %q", api, *asked)
		}
	}
}

func TestModelThatRefusesIsToldApart(t *testing.T) {
	url, asked := service(t, func(body string) (int, string) {
		if strings.Contains(body, "max_completion_tokens") {
			return 200, noMemories["openai"]
		}
		return 400, `{"error":{"message":"use max_completion_tokens instead of max_tokens"}}`
	})
	c := config.Default().LLM
	c.URL, c.Model = url, "m"
	if l := find(t, run(t, LLM(c)), "ask m"); l.State != OK || len(*asked) != 2 {
		t.Errorf("the other name of the limit: %+v, asked %q", l, *asked)
	}
	for _, status := range []int{400, 401, 404, 500} {
		c.URL, _ = service(t, func(string) (int, string) { return status, `{"error":{"message":"CANARY"}}` })
		c.Key = config.NewSecret("CANARY-CANARY")
		if l := find(t, run(t, LLM(c)), "ask m"); l.State != Fail || l.Do == "" || strings.Contains(l.Why+l.Do, "CANARY") {
			t.Errorf("%d: %+v", status, l)
		}
	}
	c.Context = 1024
	if l := find(t, run(t, LLM(c)), "ask m"); l.State != Fail || !strings.Contains(l.Why, "llm.context") {
		t.Errorf("a context without room: %+v", l)
	}
}

func TestVectorOfOneWordIsAskedFor(t *testing.T) {
	url, asked := service(t, func(string) (int, string) { return 200, `{"data":[{"index":0,"embedding":[0.5,0.5]}]}` })
	c := config.Default().Embeddings
	c.URL, c.Model = url, "v"
	if l := find(t, run(t, Embeddings(c)), "make a vector with v"); l.State != OK || len(*asked) != 1 {
		t.Errorf("%+v, asked %q", l, *asked)
	}
}

func TestCollectorIsHandedAnEmptyRequest(t *testing.T) {
	url, asked := service(t, func(string) (int, string) { return 200, "" })
	lines := run(t, Trace(config.Trace{Endpoint: url}))
	if lines[0].State != OK || len(*asked) != 1 || (*asked)[0] != "/v1/traces " {
		t.Errorf("%+v, asked %q", lines, *asked)
	}
	url, _ = service(t, func(string) (int, string) { return 404, "" })
	if lines := run(t, Trace(config.Trace{Endpoint: url})); lines[0].State != Fail || lines[0].Do == "" {
		t.Errorf("%+v", lines)
	}
}

func TestFoldersAndAddressesAreTried(t *testing.T) {
	folder := t.TempDir()
	if lines := run(t, Folder("data folder", filepath.Join(folder, "a", "b"))); lines[0].State != Note || lines[1].State != OK {
		t.Errorf("one that is to be made: %+v", lines)
	}
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 0 {
		t.Errorf("left behind: %v, %v", entries, err)
	}
	file := filepath.Join(folder, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if lines := run(t, Folder("data folder", file)); lines[0].State != Fail {
		t.Errorf("a file: %+v", lines)
	}
	if lines := run(t, DropFolder(file)); lines[0].State != Fail {
		t.Errorf("a file: %+v", lines)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if lines := run(t, HTTP(l.Addr().String())); lines[0].State != Warn {
		t.Errorf("a taken address: %+v", lines)
	}
	if lines := run(t, HTTP("127.0.0.1:0")); lines[0].State != OK {
		t.Errorf("a free address: %+v", lines)
	}
}
