// Package service is what all processes that run for long have in common: metrics, traces, the HTTP
// endpoint, and systemd.
package service

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/metered"
	"github.com/pamline/pamline/cmd/internal/api"
	"github.com/pamline/pamline/cmd/internal/build"
	"github.com/pamline/pamline/cmd/internal/obs"
	"github.com/pamline/pamline/cmd/internal/sdnotify"
	tracing "github.com/pamline/pamline/cmd/internal/telemetry"
	"github.com/pamline/pamline/config"
	"github.com/pamline/pamline/pipeline"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// endWait bounds how long open answers may take when the process ends.
const endWait = 5 * time.Second

// Service is a process that runs until it is told to end.
type Service struct {
	config *config.Config
	log    *zap.Logger
	name   string
	info   build.Info
	figures
	registry *prometheus.Registry
	tracing  *tracing.Tracing
	server   *obs.Server
	systemd  *sdnotify.Notifier

	ending   context.CancelFunc
	watching sync.WaitGroup
}

// figures are the metrics that are counted by us.
type figures struct {
	metrics *telemetry.Metrics
	store   *storeMetrics
}

func registerFigures(r prometheus.Registerer, info build.Info) (f figures, err error) {
	if f.metrics, err = telemetry.NewMetrics(r); err != nil {
		return f, err
	}
	if f.store, err = newStoreMetrics(r); err != nil {
		return f, err
	}
	return f, obs.Build(r, info)
}

// Open prepares a service of a name ("pamline-ingest"). linked is the version that was linked in.
// Call Close in the end.
func Open(ctx context.Context, c *config.Config, name, linked string, log *zap.Logger) (*Service, error) {
	s := &Service{config: c, log: log, name: name, info: build.Of(linked), registry: obs.NewRegistry(), systemd: sdnotify.FromEnviron(os.Getenv)}
	var err error
	if s.figures, err = registerFigures(s.registry, s.info); err != nil {
		return nil, fmt.Errorf("register metrics: %w", err)
	}
	if s.tracing, err = tracing.Start(ctx, c.Trace, name, s.info.Pamline, log); err != nil {
		return nil, err
	}
	return s, nil
}

// Meter decorates a store that is reached over a network, so that its requests are counted.
func (s *Service) Meter(store blob.Store) blob.Store {
	return metered.New(store, time.Now, s.store.tell)
}

// Watch makes the service report what a pipeline does.
func (s *Service) Watch(o *pipeline.Options) {
	r := &o.Reports
	r.Metrics, r.Tracer = s.metrics, s.tracing.Tracer
	if host, err := os.Hostname(); err == nil {
		r.Name = host + "/" + s.name + "/" + strconv.Itoa(os.Getpid())
	}
	outer := r.Observe
	r.Observe = func(e telemetry.Event) {
		if e.Stage == telemetry.StageDone {
			s.log.Info("import ended", zap.String("owner", e.Owner), zap.String("drop", e.Drop), zap.Int("gen", e.Gen), zap.String("import", e.Import),
				zap.Bool("published", e.Change != nil && e.Change.Published))
		}
		outer.Tell(e)
	}
}

// Endpoint says what the HTTP endpoint answers from.
type Endpoint struct {
	// Ready tells why the process cannot work now.
	Ready func(context.Context) error
	// Imports gives where imports are read from.
	Imports func() pipeline.Viewer
	// Folder is the data folder of pamline up, and Admin the API for commands that can read it.
	Folder string
	Admin  *api.Admin
}

// Serve makes the endpoint; Listen starts it. Routes may be added to it in between.
func (s *Service) Serve(e Endpoint) *obs.Server {
	s.server = obs.New(s.registry, e.Ready)
	r := &api.Reader{
		Imports: e.Imports, Build: s.info, Folder: e.Folder,
		Gate: api.Gate{Loopback: s.server.Loopback, Beyond: s.config.HTTP.API, Token: s.config.HTTP.Token, Admin: e.Admin},
	}
	for pattern, h := range r.Routes() {
		s.server.Handle(pattern, h)
	}
	return s.server
}

// Listen begins to answer.
func (s *Service) Listen() error {
	if err := s.server.Start(s.config.HTTP.Addr); err != nil {
		return err
	}
	if got := s.server.Addr(); got != s.config.HTTP.Addr && s.config.HTTP.Addr == config.DefaultHTTPAddr {
		s.log.Warn("the default port is in use; another one was chosen", zap.String("address", got))
	}
	return nil
}

// Up tells systemd that the service has started, and from then on that it is alive.
func (s *Service) Up() {
	if err := s.systemd.Ready(); err != nil {
		s.log.Warn("systemd was not told that the service is up", zap.Error(err))
	}
	ctx, cancel := context.WithCancel(context.Background())
	s.ending = cancel
	s.watching.Go(func() { s.systemd.Watch(ctx, s.answers) })
}

// answers: the process still gets around to answering. What it waits for outside is for readiness
// to tell.
func (s *Service) answers() bool { return true }

// Drain says everywhere that the process ends: it is not ready any more.
func (s *Service) Drain() {
	s.server.Drain()
	if err := s.systemd.Stopping(); err != nil {
		s.log.Warn("systemd was not told that the service ends", zap.Error(err))
	}
}

// Close sends the last traces and ends the endpoint.
func (s *Service) Close() error {
	s.tracing.Stop(s.log)
	var err error
	if s.server != nil {
		ctx, cancel := context.WithTimeout(context.Background(), endWait)
		defer cancel()
		err = s.server.Shutdown(ctx)
	}
	if s.ending != nil {
		s.ending()
		s.watching.Wait()
	}
	return err
}
