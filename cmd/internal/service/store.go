package service

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// storeMetrics are those of the requests to object storage.
type storeMetrics struct {
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

func newStoreMetrics(r prometheus.Registerer) (*storeMetrics, error) {
	m := &storeMetrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pam_s3_requests_total", Help: "Requests to object storage, attempts of one call each, by outcome: ok, absent, conflict, canceled, passing, failed.",
		}, []string{"op", "outcome"}),
		seconds: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "pam_s3_request_seconds", Help: "How long requests to object storage took; of a get until its body begins.",
			Buckets: []float64{0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120},
		}, []string{"op"}),
	}
	if err := r.Register(m.requests); err != nil {
		return nil, err
	}
	return m, r.Register(m.seconds)
}

func (m *storeMetrics) tell(op, outcome string, took time.Duration) {
	m.requests.WithLabelValues(op, outcome).Inc()
	m.seconds.WithLabelValues(op).Observe(took.Seconds())
}
