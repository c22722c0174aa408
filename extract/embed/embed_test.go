package embed

import (
	"context"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
)

const key = "k-secret-0123456789"

// of is the vector that test servers give a text: its length and its first letter.
func of(text string) []float32 { return []float32{float32(len(text)), float32(text[0]), 0.5} }

// server answers as an honest one would, but for what change does to the answer.
func server(t *testing.T, change func(n int, w http.ResponseWriter, req request, answer map[string]any) bool) (*httptest.Server, *[]request) {
	t.Helper()
	var seen []request
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var req request
		body, err := io.ReadAll(r.Body)
		if err != nil || json.Unmarshal(body, &req) != nil || r.URL.Path != "/v1/embeddings" || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("request %s %s: %v", r.URL, body, err)
		}
		seen = append(seen, req)
		var data []map[string]any
		for i, text := range req.Input {
			data = append(data, map[string]any{"object": "embedding", "index": i, "embedding": of(text)})
		}
		answer := map[string]any{"object": "list", "data": data, "model": req.Model, "usage": map[string]any{"prompt_tokens": 10 * len(data)}}
		if change != nil && change(len(seen), w, req, answer) {
			return
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	t.Cleanup(s.Close)
	return s, &seen
}

func client(t *testing.T, url string, change ...func(*Options)) *Client {
	t.Helper()
	o := Options{URL: url + "/v1", Model: "m", Key: key, Batch: 3, Attempts: 3, Sleep: func(ctx context.Context, _ time.Duration) error { return ctx.Err() }}
	for _, f := range change {
		f(&o)
	}
	c, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

var texts = []string{"one", "three", "fourteen", "a", "bb", "ccc", "d"}

func want() string {
	var v [][]float32
	for _, t := range texts {
		v = append(v, of(t))
	}
	return fmt.Sprint(v)
}

func data(answer map[string]any) []map[string]any { return answer["data"].([]map[string]any) }

func TestVectorsAreInTheOrderOfTheTexts(t *testing.T) {
	for name, change := range map[string]func(n int, w http.ResponseWriter, req request, answer map[string]any) bool{
		"as asked": nil,
		"shuffled": func(_ int, _ http.ResponseWriter, _ request, answer map[string]any) bool {
			d := data(answer)
			rand.New(rand.NewPCG(1, 2)).Shuffle(len(d), func(i, j int) { d[i], d[j] = d[j], d[i] })
			return false
		},
		"without an index": func(_ int, _ http.ResponseWriter, _ request, answer map[string]any) bool {
			for _, d := range data(answer) {
				delete(d, "index")
			}
			return false
		},
		"base64": func(_ int, _ http.ResponseWriter, req request, answer map[string]any) bool {
			for i, d := range data(answer) {
				var raw []byte
				for _, x := range of(req.Input[i]) {
					raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(x))
				}
				d["embedding"] = base64.StdEncoding.EncodeToString(raw)
			}
			return false
		},
		"busy at first": func(n int, w http.ResponseWriter, _ request, _ map[string]any) bool {
			switch n {
			case 1:
				w.Header().Set("Retry-After", "1")
				w.WriteHeader(429)
			case 2:
				w.WriteHeader(500)
			}
			return n <= 2
		},
		"cut off at first": func(n int, w http.ResponseWriter, _ request, _ map[string]any) bool {
			if n == 1 {
				_, _ = io.WriteString(w, `{"data":[{"index":0,"embedd`)
			}
			return n == 1
		},
	} {
		t.Run(name, func(t *testing.T) {
			s, seen := server(t, change)
			got, usage, err := client(t, s.URL).Embed(t.Context(), texts)
			if err != nil || fmt.Sprint(got) != want() {
				t.Fatalf("%v, %v", got, err)
			}
			if usage != (extract.Usage{Requests: 3, Input: 70}) {
				t.Errorf("usage %+v", usage)
			}
			for _, r := range *seen {
				if len(r.Input) > 3 || r.Model != "m" || r.Dimensions != 0 || r.Format != "float" {
					t.Errorf("request %+v", r)
				}
			}
		})
	}
}

func TestNothingIsAskedForNothing(t *testing.T) {
	s, seen := server(t, nil)
	got, usage, err := client(t, s.URL).Embed(t.Context(), nil)
	if len(got) != 0 || err != nil || usage != (extract.Usage{}) || len(*seen) != 0 {
		t.Errorf("%v, %v, %v, %d requests", got, usage, err, len(*seen))
	}
	if _, _, err := client(t, s.URL).Embed(t.Context(), []string{"a", ""}); err == nil || len(*seen) != 0 {
		t.Errorf("an empty text: %v", err)
	}
}

func TestWrongAnswersAreErrors(t *testing.T) {
	set := func(key string, value any) func(map[string]any) {
		return func(answer map[string]any) { data(answer)[1][key] = value }
	}
	for name, change := range map[string]func(answer map[string]any){
		"one too few":          func(a map[string]any) { a["data"] = data(a)[1:] },
		"one too many":         func(a map[string]any) { a["data"] = append(data(a), data(a)[0]) },
		"none":                 func(a map[string]any) { delete(a, "data") },
		"an index twice":       set("index", 0),
		"an index beyond":      set("index", 3),
		"a negative index":     set("index", -1),
		"an index of a text":   set("index", "1"),
		"another length":       set("embedding", []float32{1, 2}),
		"no numbers":           set("embedding", []float32{}),
		"null":                 set("embedding", nil),
		"null inside":          set("embedding", []any{1, nil, 2}),
		"no vector":            func(a map[string]any) { delete(data(a)[1], "embedding") },
		"zeros":                set("embedding", []float32{0, 0, 0}),
		"beyond 32 bits":       set("embedding", []float64{1, 1e300, 2}),
		"a text":               set("embedding", "Ada"),
		"part of base64":       set("embedding", base64.StdEncoding.EncodeToString([]byte("12345"))),
		"not a number, base64": set("embedding", base64.StdEncoding.EncodeToString([]byte{0, 0, 0xc0, 0x7f, 1, 1, 1, 1, 1, 1, 1, 1})),
		"infinite, base64":     set("embedding", base64.StdEncoding.EncodeToString([]byte{0, 0, 0x80, 0x7f, 1, 1, 1, 1, 1, 1, 1, 1})),
		"another form":         func(a map[string]any) { a["data"] = "Ada" },
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := server(t, func(_ int, _ http.ResponseWriter, _ request, answer map[string]any) bool {
				change(answer)
				return false
			})
			got, _, err := client(t, s.URL).Embed(t.Context(), texts[:3])
			var ask *extract.AskError
			if got != nil || !errors.As(err, &ask) || !ask.Permanent || ask.Hint == "" || strings.Contains(err.Error()+ask.Hint, "Ada") {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
}

func TestAllVectorsHaveOneLength(t *testing.T) {
	s, _ := server(t, func(n int, _ http.ResponseWriter, _ request, answer map[string]any) bool {
		if n == 2 {
			for _, d := range data(answer) {
				d["embedding"] = []float32{1, 2}
			}
		}
		return false
	})
	got, usage, err := client(t, s.URL).Embed(t.Context(), texts)
	if got != nil || err == nil || usage.Requests != 2 {
		t.Errorf("%v, %v, %v", got, usage, err)
	}
}

func TestDimensionsAreAskedForAndChecked(t *testing.T) {
	s, seen := server(t, nil)
	if _, _, err := client(t, s.URL, func(o *Options) { o.Dimensions = 3 }).Embed(t.Context(), texts); err != nil || (*seen)[0].Dimensions != 3 {
		t.Errorf("%+v, %v", (*seen)[0], err)
	}
	if _, _, err := client(t, s.URL, func(o *Options) { o.Dimensions = 2 }).Embed(t.Context(), texts); err == nil {
		t.Error("vectors of another length than asked for pass")
	}
}

func TestRefusalsSayWhatToDo(t *testing.T) {
	for name, c := range map[string]struct {
		status    int
		requests  int
		permanent bool
	}{
		"no such key":    {401, 1, true},
		"no such model":  {404, 1, true},
		"a bad request":  {400, 1, true},
		"too many texts": {413, 1, true},
		"busy":           {429, 3, false},
		"broken":         {503, 3, false},
	} {
		t.Run(name, func(t *testing.T) {
			s, seen := server(t, func(_ int, w http.ResponseWriter, _ request, _ map[string]any) bool {
				w.WriteHeader(c.status)
				_, _ = io.WriteString(w, `{"error":{"message":"you sent Ada with `+key+`","type":"t"}}`)
				return true
			})
			_, usage, err := client(t, s.URL).Embed(t.Context(), []string{"Ada"})
			var ask *extract.AskError
			if !errors.As(err, &ask) || ask.Permanent != c.permanent || ask.Hint == "" || len(*seen) != c.requests || usage.Requests != 0 {
				t.Fatalf("%d requests, %+v: %v", len(*seen), usage, err)
			}
			if strings.Contains(err.Error()+ask.Hint, "Ada") || strings.Contains(err.Error()+ask.Hint, key) {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestTheEndOfTheContextIsNoFailureOfTheService(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s, _ := server(t, func(n int, _ http.ResponseWriter, _ request, _ map[string]any) bool {
		if n == 2 {
			cancel()
		}
		return false
	})
	_, usage, err := client(t, s.URL).Embed(ctx, texts)
	var ask *extract.AskError
	if !errors.Is(err, context.Canceled) || errors.As(err, &ask) || usage.Requests < 1 {
		t.Errorf("%+v, %v", usage, err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	for name, o := range map[string]Options{
		"no model":            {},
		"negative dimensions": {Model: "m", Dimensions: -1},
		"a password":          {Model: "m", URL: "https://ada:pw12345@x/v1"},
		"no address":          {Model: "m", URL: "x"},
	} {
		if _, err := New(o); err == nil || strings.Contains(err.Error(), "pw12345") {
			t.Errorf("%s: %v", name, err)
		}
	}
	c, err := New(Options{Model: "m"})
	if err != nil || c.wire.Host() != "api.openai.com" {
		t.Errorf("%v", err)
	}
}

func FuzzVector(f *testing.F) {
	for _, s := range []string{"[1,2.5,-3e-8]", `"AACAPwAAAEA="`, "null", "[null]", `""`, "[]", `"x"`, "[1e39]"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		var v vector
		if json.Unmarshal([]byte(s), &v) != nil || check(v) != nil {
			return
		}
		l := Line{Hash: "h", Model: "m", Vector: v}
		got, err := ParseLine(AppendLine(nil, &l))
		if err != nil || fmt.Sprint(got) != fmt.Sprint(l) {
			t.Errorf("%v is written and read as %v: %v", l, got, err)
		}
	})
}

func TestTheLengthOfVectorsBelongsToTheIdentity(t *testing.T) {
	for dimensions, want := range map[int]string{0: "m", 256: "m@256"} {
		c, err := New(Options{Model: "m", Dimensions: dimensions})
		if err != nil {
			t.Fatal(err)
		}
		if c.Model() != "m" || c.Identity() != want {
			t.Errorf("%q, %q", c.Model(), c.Identity())
		}
	}
}
