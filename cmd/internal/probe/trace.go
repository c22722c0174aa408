package probe

import (
	"context"
	"fmt"
	"net/http"
	"net/url"

	"github.com/pamline/pamline/config"
)

// Trace hands the collector a request without a trace in it, which every collector takes.
func Trace(c config.Trace) Part {
	return Part{Name: "trace", Run: func(ctx context.Context, say *Say) {
		if c.Endpoint == "" {
			say.Note("collector", "none is set")
			return
		}
		u, err := url.Parse(c.Endpoint)
		if err != nil || u.Host == "" {
			say.Fail("read trace.endpoint", fmt.Errorf("it is no address"), "set it to one such as http://127.0.0.1:4318")
			return
		}
		say.Try("reach the collector at "+u.Host, "check trace.endpoint: it is the port for OTLP over HTTP, mostly 4318, not the one for gRPC", empty(ctx, u))
	}}
}

func empty(ctx context.Context, u *url.URL) error {
	to := *u
	if to.Path == "" || to.Path == "/" {
		to.Path = "/v1/traces"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, to.String(), http.NoBody)
	if err != nil {
		return fmt.Errorf("make request: %w", err)
	}
	req.Header.Set("Content-Type", "application/x-protobuf")
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if resp.StatusCode/100 != 2 {
		return fmt.Errorf("it answered %s", resp.Status)
	}
	return nil
}
