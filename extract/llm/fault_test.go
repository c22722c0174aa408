package llm

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pamline/pamline/extract"
)

func TestFaultsOfAServiceAreRetriedOrRecorded(t *testing.T) {
	reply := func(text, finish string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 200, openAIAnswer(text, finish, rungPlain, 1000))
		}
	}
	status := func(code int, header ...string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) {
			for i := 0; i+1 < len(header); i += 2 {
				w.Header().Set(header[i], header[i+1])
			}
			writeJSON(w, code, object{"error": object{"type": "t", "message": "m"}})
		}
	}
	abort := func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "5000")
		_, _ = w.Write([]byte(`{"choices":[`))
		panic(http.ErrAbortHandler)
	}
	good := says(said("fact", "Lives in Oslo.", 1, "I live in Oslo."))
	again := func(h http.HandlerFunc, n int) []http.HandlerFunc {
		var all []http.HandlerFunc
		for range n {
			all = append(all, h)
		}
		return all
	}
	for _, c := range []struct {
		name   string
		faults []http.HandlerFunc
		want   string // contents
		failed string // reason
	}{
		{"429 with Retry-After", again(status(429, "Retry-After", "7"), 2), "Lives in Oslo.", ""},
		{"500 three times", again(status(500), 3), "Lives in Oslo.", ""},
		{"408, 409, 503", []http.HandlerFunc{status(408), status(409), status(503)}, "Lives in Oslo.", ""},
		{"reset in the body", again(abort, 2), "Lives in Oslo.", ""},
		{"slower than the timeout", nil, "Lives in Oslo.", ""},
		{"prose around it", again(reply("Sure! Here it is [as asked]:\n"+good+"\nAnything else?", ""), 1), "Lives in Oslo.", ""},
		{"a fence", again(reply("```json\n"+good+"\n```", ""), 1), "Lives in Oslo.", ""},
		{"thoughts", again(reply("<think>The list {\"memories\": maybe}</think>\n"+good, ""), 1), "Lives in Oslo.", ""},
		{"a bare list", again(reply("["+strings.TrimSuffix(strings.TrimPrefix(good, `{"injection_suspected":false,"memories":[`), `]}`)+"]", ""), 1), "Lives in Oslo.", ""},
		{"empty content, then good", again(reply("", ""), 1), "Lives in Oslo.", ""},
		{"no choices, then good", again(func(w http.ResponseWriter, _ *http.Request) { writeJSON(w, 200, object{"choices": []any{}}) }, 1), "Lives in Oslo.", ""},
		{"duplicate keys, then good", again(reply(`{"memories":[],"memories":[]}`, ""), 1), "Lives in Oslo.", ""},
		{"only prose, whatever is tried", again(reply("I cannot find anything.", ""), 8), "", FailUnread},
		{"duplicate keys, whatever is tried", again(reply(`{"memories":[],"memories":[]}`, ""), 8), "", FailUnread},
		{"refused by a filter", again(reply("", "content_filter"), 1), "", FailRefused},
		{"refused in words", again(func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, 200, object{"choices": []object{{"message": object{"refusal": "No."}, "finish_reason": "stop"}}})
		}, 1), "", FailRefused},
		{"cut off, and too short to divide", again(reply(good[:40], "length"), 1), "", FailTruncated},
		{"not JSON at all, then good", again(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "<html>") }, 1), "Lives in Oslo.", ""},
		{"a huge body, then good", again(func(w http.ResponseWriter, _ *http.Request) {
			for range maxBody/1024 + 2 {
				if _, err := w.Write([]byte(strings.Repeat(" ", 1024))); err != nil {
					return
				}
			}
		}, 1), "Lives in Oslo.", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newService(t)
			s.faults = c.faults
			o := options(s, OpenAI)
			if strings.HasPrefix(c.name, "slower") {
				o.HTTP = &http.Client{Transport: &late{t: t}}
			}
			x, answers, doc := must(t, o), newKept(), talkOf("c1", "I live in Oslo.")
			ask(t, x, answers, doc)
			found, report := read(t, x, answers, doc)
			if got := contents(found); got != c.want {
				t.Errorf("found %q, report %+v", got, report)
			}
			if c.failed != "" && report.Failed[c.failed] != 1 || c.failed == "" && len(report.Failed) != 0 {
				t.Errorf("failed: %v, expected %q", report.Failed, c.failed)
			}
			sent := s.total()
			if ask(t, x, answers, doc); s.total() != sent {
				t.Error("what was recorded is asked again")
			}
		})
	}
}

// late sends the first question about a conversation and has its time run out before the answer.
// Which pause is too long is a matter of extract/wire.
type late struct {
	t   *testing.T
	ran atomic.Bool
}

func (l *late) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := r.GetBody()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(body)
	if err != nil {
		return nil, err
	}
	resp, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || strings.Contains(string(text), probeText) || l.ran.Swap(true) {
		return resp, err
	}
	if err := resp.Body.Close(); err != nil {
		l.t.Error(err)
	}
	return nil, context.DeadlineExceeded
}

func TestOutagesAreNotRecorded(t *testing.T) {
	for _, c := range []struct {
		status    int
		permanent bool
		code      string
	}{{503, false, ""}, {429, false, ""}, {401, true, ""}, {403, true, ""}, {404, true, "model_not_found"}, {429, true, "insufficient_quota"}} {
		s := newService(t)
		var bad http.HandlerFunc = func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, c.status, object{"error": object{"code": c.code, "message": "about Oslo and key-very-secret-0123456789"}})
		}
		s.Config.Handler = bad
		x, answers, doc := must(t, options(s, OpenAI)), newKept(), talkOf("c1", "I live in Oslo.")
		_, err := x.Ask(t.Context(), seq(doc), answers)
		var asked *extract.AskError
		if !errors.As(err, &asked) || asked.Permanent != c.permanent || asked.Hint == "" {
			t.Errorf("%d: %v (%+v)", c.status, err, asked)
			continue
		}
		if text := err.Error() + asked.Hint; strings.Contains(text, "Oslo") || strings.Contains(text, "secret") || strings.Contains(text, s.URL+"/v1") {
			t.Errorf("%d: the error shows too much: %s", c.status, text)
		}
		if len(answers.values) != 0 {
			t.Errorf("%d: recorded %v", c.status, answers.values)
		}
		if _, report := read(t, x, answers, doc); report.Failed[FailMissing] != 1 {
			t.Errorf("%d: report %+v", c.status, report)
		}
	}
}

func TestServerSaysHowLongToWait(t *testing.T) {
	s := newService(t)
	s.faults = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(429)
	}}
	o := options(s, OpenAI)
	pauses := new(sleeps)
	o.Sleep = pauses.sleep
	ask(t, must(t, o), newKept(), talkOf("c", "I like tea."))
	if len(pauses.all) != 1 || pauses.all[0] != 7*time.Second {
		t.Errorf("pauses %v", pauses.all)
	}
}
