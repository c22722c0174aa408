package dispatch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/pamline/pamline/pipeline/job"
	"github.com/pamline/pamline/pipeline/queue"
	"github.com/pamline/pamline/pipeline/state"
)

// shardBody is the body of a task of extraction: what its handler needs before the job has an
// import.
type shardBody struct {
	Import string `json:"import"`
	Pack   int    `json:"pack"`
}

// Encode gives a task as a message. The origin is that of a pass if the task is sent again; whoever
// sends the message may set another one.
func Encode(t job.Task) queue.Task { return encodeTask(t, Partitions) }

func encodeTask(t job.Task, partitions uint32) queue.Task {
	lane := cmp.Or(t.Lane, state.LaneSmall)
	if t.Kind == job.Assemble {
		lane = partitionLane(partitionOf(t.Owner, partitions))
	}
	m := queue.Task{Subject: "pam." + string(t.Kind) + "." + lane + "." + t.Owner + "." + t.Drop + "." + strconv.Itoa(t.Gen)}
	if t.Resent {
		m.Origin = queue.FromPass
	}
	if t.Kind == job.Extract {
		m.Subject += "." + t.Shard
		m.Body, _ = json.Marshal(shardBody{t.Import, t.Pack}) // strings and numbers: no error
	}
	return m
}

// Decode gives the task of a message, or an error if the message is not one of ours.
func Decode(m queue.Task) (job.Task, error) {
	tokens := m.Tokens()
	t := job.Task{Kind: job.Kind(m.Kind()), Resent: m.Origin == queue.FromPass}
	want := 6
	if t.Kind == job.Extract {
		want = 7
	}
	if len(tokens) != want {
		return t, fmt.Errorf("decode task: a subject with %d tokens is not pam.<kind>.<lane>.<owner>.<drop>.<gen>", len(tokens))
	}
	t.Owner, t.Drop = tokens[3], tokens[4]
	if err := t.Ref.Check(); err != nil {
		return t, fmt.Errorf("decode task: %w", err)
	}
	gen, err := strconv.Atoi(tokens[5])
	if err != nil || gen < 1 || strconv.Itoa(gen) != tokens[5] {
		return t, fmt.Errorf("decode task: generation is not a number from 1")
	}
	t.Gen = gen
	switch t.Kind {
	case job.Assemble:
		return t, nil
	case job.Ingest, job.Extract:
		t.Lane = m.Lane()
		if err := state.CheckLane(t.Lane); err != nil || t.Kind == job.Ingest {
			return t, err
		}
	default:
		return t, fmt.Errorf("decode task: no stage has this kind of task")
	}
	t.Shard = tokens[6]
	var body shardBody
	if err := json.Unmarshal(m.Body, &body); err != nil {
		return t, fmt.Errorf("decode task: %w", err)
	}
	t.Import, t.Pack = body.Import, body.Pack
	if err := state.CheckDigest("import", t.Import); err != nil {
		return t, fmt.Errorf("decode task: %w", err)
	}
	if err := state.CheckDigest("shard", t.Shard); err != nil {
		return t, fmt.Errorf("decode task: %w", err)
	}
	if t.Pack < 0 {
		return t, fmt.Errorf("decode task: pack %d is below 0", t.Pack)
	}
	return t, nil
}

// streams are those of the tasks of jobs.
var streams = map[job.Kind]string{job.Ingest: StreamIngest, job.Extract: StreamExtract, job.Assemble: StreamAssemble}

// filterOf selects the subjects of a kind of tasks of a job, delayed copies included.
func filterOf(kind job.Kind, ref job.Ref) string {
	return "pam." + string(kind) + ".*." + ref.Owner + "." + ref.Drop + ".>"
}

// unitOf gives the generation and the unit that the subject of a task, or of a delayed copy, names.
func unitOf(subject string) (gen int, unit string) {
	tokens := strings.Split(subject, ".")
	if len(tokens) < 6 {
		return 0, ""
	}
	gen, _ = strconv.Atoi(tokens[5]) // 0 is no generation
	if unit = tokens[1]; unit == string(job.Extract) && len(tokens) > 6 {
		unit = tokens[6]
	}
	return gen, unit
}
