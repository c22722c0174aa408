// Package telemetry sends spans to an OpenTelemetry collector. Without an endpoint there is no
// tracer, and the work costs nothing more.
package telemetry

import (
	"context"
	"fmt"
	"net/url"
	"sync/atomic"
	"time"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
	"go.uber.org/zap"

	"github.com/pamline/pamline/config"
)

// A collector that does not answer costs at most this: spans that do not fit the queue are dropped,
// an attempt to send some is given up, and the process does not wait longer for the last ones.
const (
	queueSpans  = 2048
	batchSpans  = 512
	batchEvery  = 5 * time.Second
	sendTimeout = 5 * time.Second
	flushWait   = 3 * time.Second
)

// Tracing is a tracer and its end.
type Tracing struct {
	// Tracer is nil when there are no traces.
	Tracer trace.Tracer
	stop   func(context.Context) error
}

// Start makes the tracer of a service ("pamline-ingest") that the settings ask for. The collector
// need not be there.
func Start(ctx context.Context, c config.Trace, service, version string, log *zap.Logger) (*Tracing, error) {
	if c.Endpoint == "" {
		return &Tracing{}, nil
	}
	u, err := url.Parse(c.Endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return nil, fmt.Errorf("read trace.endpoint: it is not an address like http://127.0.0.1:4318")
	}
	if u.User != nil {
		return nil, fmt.Errorf("read trace.endpoint: it must not hold a user or password")
	}
	if u.Path == "" || u.Path == "/" {
		u.Path = "/v1/traces"
	}
	exporter, err := otlptracehttp.New(ctx, otlptracehttp.WithEndpointURL(u.String()), otlptracehttp.WithTimeout(sendTimeout),
		otlptracehttp.WithRetry(otlptracehttp.RetryConfig{Enabled: false})) // the next batch is the next try
	if err != nil {
		return nil, fmt.Errorf("set up traces: %w", err)
	}
	quiet := &once{log: log}
	otel.SetErrorHandler(quiet)
	return start(exporter, c.Ratio, service, version), nil
}

// start sends what an exporter takes, of so many of the traces.
func start(exporter sdk.SpanExporter, ratio float64, service, version string) *Tracing {
	p := sdk.NewTracerProvider(
		sdk.WithBatcher(exporter, sdk.WithMaxQueueSize(queueSpans), sdk.WithMaxExportBatchSize(batchSpans), sdk.WithBatchTimeout(batchEvery), sdk.WithExportTimeout(sendTimeout)),
		// Whoever begins a trace decides, so that an import is traced as a whole or not at all.
		sdk.WithSampler(sdk.ParentBased(sdk.TraceIDRatioBased(ratio))),
		sdk.WithResource(resource.NewSchemaless(attribute.String("service.name", service), attribute.String("service.version", version))),
	)
	return &Tracing{Tracer: p.Tracer("github.com/pamline/pamline"), stop: p.Shutdown}
}

// Stop sends what is left, for at most flushWait. What a dead collector misses is no failure of the
// process.
func (t *Tracing) Stop(log *zap.Logger) {
	if t == nil || t.stop == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), flushWait)
	defer cancel()
	if err := t.stop(ctx); err != nil {
		log.Warn("the last traces were not sent", zap.Error(err))
	}
}

// once logs the first of the errors that come one after the other.
type once struct {
	log  *zap.Logger
	said atomic.Bool
}

// Handle takes an error of the exporter.
func (o *once) Handle(err error) {
	if !o.said.Swap(true) {
		o.log.Warn("traces cannot be sent; the work goes on without them (said once)", zap.Error(err))
	}
}
