package pipeline

import "github.com/prometheus/client_golang/prometheus"

// Metrics are the pipeline's Prometheus metrics. A nil *Metrics counts nothing.
type Metrics struct {
	units    *prometheus.CounterVec
	letters  *prometheus.CounterVec
	bytes    prometheus.Counter
	convs    prometheus.Counter
	progress prometheus.Gauge
}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		units: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pam_units_total", Help: "Units of work by stage and outcome: ok, outage, unit, permanent.",
		}, []string{"stage", "outcome"}),
		letters: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "pam_dlq_total", Help: "Units given up, by stage and class.",
		}, []string{"stage", "class"}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pam_bytes_read_total", Help: "Source bytes of the units that ingest packed.",
		}),
		convs: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "pam_conversations_total", Help: "Conversations that ingest packed.",
		}),
		progress: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "pam_progress_timestamp_seconds", Help: "When a unit was finished last, in seconds since 1970: a stalled pipeline stops here.",
		}),
	}
	for _, c := range []prometheus.Collector{m.units, m.letters, m.bytes, m.convs, m.progress} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func (m *Metrics) unit(stage string, err error) {
	if m == nil {
		return
	}
	outcome := "ok"
	if err != nil {
		outcome = string(ClassOf(err))
	}
	m.units.WithLabelValues(stage, outcome).Inc()
	m.progress.SetToCurrentTime()
}

func (m *Metrics) deadLetter(stage string, c Class) {
	if m != nil {
		m.letters.WithLabelValues(stage, string(c)).Inc()
	}
}

func (m *Metrics) packed(c Counts) {
	if m != nil {
		m.bytes.Add(float64(c.Bytes))
		m.convs.Add(float64(c.Conversations))
	}
}
