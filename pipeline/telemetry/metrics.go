package telemetry

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// Metrics are the pipeline's Prometheus metrics; docs/metrics.md explains them. None has an owner
// in its labels. A nil *Metrics counts nothing.
type Metrics struct {
	units        *prometheus.CounterVec
	seconds      *prometheus.HistogramVec
	inflight     *prometheus.GaugeVec
	redeliveries *prometheus.CounterVec
	letters      *prometheus.CounterVec
	bytes        prometheus.Counter
	convs        prometheus.Counter
	candidates   prometheus.Counter
	conflicts    prometheus.Counter
	exports      prometheus.Counter
	imports      *prometheus.CounterVec
	oldest       *prometheus.GaugeVec
	pending      *prometheus.GaugeVec
	breakers     *prometheus.GaugeVec
	progress     prometheus.Gauge
	scrubbed     prometheus.Counter
	scrubBytes   prometheus.Counter
	damage       *prometheus.GaugeVec
	scrubEnded   *prometheus.GaugeVec
}

// unitSeconds are the bounds of the histogram: from a message that finds its work done to an
// archive of many gigabytes.
var unitSeconds = []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1800, 7200}

// NewMetrics registers the metrics.
func NewMetrics(r prometheus.Registerer) (*Metrics, error) {
	counter := func(name, help string, labels ...string) *prometheus.CounterVec {
		return prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	}
	gauge := func(name, help string, labels ...string) *prometheus.GaugeVec {
		return prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: name, Help: help}, labels)
	}
	units := counter("pam_units_total", "Deliveries of units of work, by stage and outcome: ok, later, drained, outage, unit, permanent.", "stage", "outcome")
	seconds := prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "pam_unit_seconds", Help: "How long the work on one delivery of a unit took.", Buckets: unitSeconds,
	}, []string{"stage"})
	inflight := gauge("pam_inflight", "Units in hand.", "stage")
	redeliveries := counter("pam_redeliveries_total", "Deliveries of units that had been delivered before.", "stage")
	letters := counter("pam_dlq_total", "Units given up, by stage and class.", "stage", "class")
	bytes := counter("pam_bytes_read_total", "Source bytes of the units that ingest packed.")
	convs := counter("pam_conversations_total", "Conversations that ingest packed.")
	candidates := counter("pam_candidates_total", "Memory candidates that extract found.")
	conflicts := counter("pam_cas_conflicts_total", "Swaps of an owner's head that another assembler won.")
	exports := counter("pam_exports_total", "Exports published.")
	imports := counter("pam_imports_total", "Imports that ended, by final state.", "state")
	oldest := gauge("pam_import_oldest_age_seconds", "Age of the oldest request whose import has not ended, told by the process that looked last.")
	pending := gauge("pam_queue_pending", "Messages that wait or are in hand, by stream and consumer, told by the process whose turn it is.", "stream", "consumer")
	breakers := gauge("pam_breaker_open", "Breakers that hold up units.", "stage")
	progress := gauge("pam_progress_timestamp_seconds", "When a unit was finished last, in seconds since 1970: a stalled pipeline stops here.")
	scrubbed := counter("pam_scrub_objects_total", "Objects of the store that were read to find damage.")
	scrubBytes := counter("pam_scrub_bytes_total", "Bytes of the store that were read to find damage.")
	damage := gauge("pam_scrub_damage", "Damaged or missing objects that the last pass over the store has found, told by the process that made it.")
	scrubEnded := gauge("pam_scrub_timestamp_seconds", "When the last pass over the store has ended, in seconds since 1970, told by the process that made it.")
	for _, c := range []prometheus.Collector{units, seconds, inflight, redeliveries, letters, bytes, convs, candidates,
		conflicts, exports, imports, oldest, pending, breakers, progress,
		scrubbed, scrubBytes, damage, scrubEnded} {
		if err := r.Register(c); err != nil {
			return nil, err
		}
	}
	return &Metrics{
		units: units, seconds: seconds, inflight: inflight, redeliveries: redeliveries, letters: letters,
		bytes: bytes.WithLabelValues(), convs: convs.WithLabelValues(), candidates: candidates.WithLabelValues(),
		conflicts: conflicts.WithLabelValues(), exports: exports.WithLabelValues(), imports: imports,
		oldest: oldest, pending: pending, breakers: breakers, progress: progress.WithLabelValues(),
		scrubbed: scrubbed.WithLabelValues(), scrubBytes: scrubBytes.WithLabelValues(), damage: damage, scrubEnded: scrubEnded,
	}, nil
}

// Began counts a unit in hand, and whether its message had been delivered before.
func (m *Metrics) Began(stage string, again bool) {
	if m == nil {
		return
	}
	m.inflight.WithLabelValues(stage).Inc()
	if again {
		m.redeliveries.WithLabelValues(stage).Inc()
	}
}

// Ended counts what became of it at a time.
func (m *Metrics) Ended(stage, outcome string, at time.Time, took time.Duration) {
	if m == nil {
		return
	}
	m.inflight.WithLabelValues(stage).Dec()
	m.units.WithLabelValues(stage, outcome).Inc()
	m.seconds.WithLabelValues(stage).Observe(took.Seconds())
	if outcome == OutcomeOK {
		m.progress.Set(float64(at.UnixMilli()) / 1000)
	}
}

// DeadLetter counts a unit that failed for good.
func (m *Metrics) DeadLetter(stage string, c fault.Class) {
	if m != nil {
		m.letters.WithLabelValues(stage, string(c)).Inc()
	}
}

// Packed counts what a pack holds: the reading of a large archive makes progress with each.
func (m *Metrics) Packed(c state.Counts, at time.Time) {
	if m != nil {
		m.bytes.Add(float64(c.Bytes))
		m.convs.Add(float64(c.Conversations))
		if !at.IsZero() {
			m.progress.Set(float64(at.UnixMilli()) / 1000)
		}
	}
}

// Found counts candidates.
func (m *Metrics) Found(candidates int) {
	if m != nil {
		m.candidates.Add(float64(candidates))
	}
}

// Scrubbed counts an object that was read to find damage.
func (m *Metrics) Scrubbed(bytes int64) {
	if m != nil {
		m.scrubbed.Inc()
		m.scrubBytes.Add(float64(bytes))
	}
}

// ScrubEnded tells what a pass over the store has found.
func (m *Metrics) ScrubEnded(damaged int, at time.Time) {
	if m != nil {
		m.damage.WithLabelValues().Set(float64(damaged))
		m.scrubEnded.WithLabelValues().Set(float64(at.Unix()))
	}
}

// Conflict counts a lost race for a head.
func (m *Metrics) Conflict() {
	if m != nil {
		m.conflicts.Inc()
	}
}

// Exported counts a published store.
func (m *Metrics) Exported() {
	if m != nil {
		m.exports.Inc()
	}
}

// Imported counts an import that has ended for the first time in this state.
func (m *Metrics) Imported(phase string) {
	if m != nil {
		m.imports.WithLabelValues(phase).Inc()
	}
}

// OldestOpen tells the age of the oldest request that has not ended; 0: there is none.
func (m *Metrics) OldestOpen(age time.Duration) {
	if m != nil {
		m.oldest.WithLabelValues().Set(age.Seconds())
	}
}

// ForgetOldest: another process tells it from now on, and a figure that stands still would be
// wrong.
func (m *Metrics) ForgetOldest() {
	if m != nil {
		m.oldest.Reset()
	}
}

// Queued says how many messages wait for a consumer.
func (m *Metrics) Queued(stream, consumer string, n uint64) {
	if m != nil {
		m.pending.WithLabelValues(stream, consumer).Set(float64(n))
	}
}

// ForgetQueued: another process tells it from now on.
func (m *Metrics) ForgetQueued() {
	if m != nil {
		m.pending.Reset()
	}
}

// BreakersOpen tells how many breakers of a stage hold up units.
func (m *Metrics) BreakersOpen(stage string, n int) {
	if m != nil {
		m.breakers.WithLabelValues(stage).Set(float64(n))
	}
}
