package status

import "math"

// minSeconds is how long an import must have been worked on before its rates say anything.
const minSeconds = 1

// addProgress adds what workers report of the row's generation. A report without a generation
// counts for each.
func (r *Row) addProgress(p Progress) {
	if p.Gen != 0 && p.Gen != r.Gen {
		return
	}
	r.StartedAt, r.Worker = p.StartedAt, p.Worker
	r.BytesRead, r.BytesTotal = p.BytesRead, p.BytesTotal
	if !r.IsOpen() {
		return
	}
	if r.State == StateWaiting {
		r.State = StateReading
	}
	if r.Import == "" {
		r.Import = p.Import
	}
	r.Conversations = max(r.Conversations, p.Conversations)
	r.UpdatedAt = max(r.UpdatedAt, p.UpdatedAt)
	r.Trouble = p.Trouble
	r.estimate()
}

// estimate computes rates and the time that is left in the current state, from the first and the
// last report of the import. What the figures do not tell stays unknown.
func (r *Row) estimate() {
	started := parseTime(r.StartedAt)
	took := parseTime(r.UpdatedAt).Sub(started).Seconds()
	if started.IsZero() || took < minSeconds {
		return
	}
	r.ConversationsPerSecond = roundTenth(float64(r.Conversations) / took)
	r.BytesPerSecond = math.Round(float64(r.BytesRead) / took)
	var done, all float64
	switch r.State {
	case StateReading:
		done, all = float64(r.BytesRead), float64(r.BytesTotal)
	case StateExtracting:
		done, all = float64(r.Extracted+r.Failed), float64(r.Shards)
	}
	if done > 0 && all >= done {
		left := roundTenth((all - done) * took / done)
		r.SecondsLeft = &left
	}
}

func roundTenth(x float64) float64 { return math.Round(10*x) / 10 }
