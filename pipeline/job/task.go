package job

import "fmt"

// Kind is the stage that a task is for.
type Kind string

// The kinds of tasks.
const (
	Ingest   Kind = "ingest"
	Extract  Kind = "extract"
	Assemble Kind = "assemble"
)

// Task is one unit of work of a generation, as a message names it.
type Task struct {
	Kind Kind
	Ref
	Gen int
	// Import and Shard of a task of extraction; Pack is the number of the shard's pack.
	Import string
	Shard  string
	Pack   int
	Lane   string
	// Resent: the pass sends the task again, so an earlier delivery may have crashed (Begin).
	Resent bool
}

// Unit is the name of the unit within its generation: "ingest", the shard's id, or "assemble".
func (t Task) Unit() string {
	if t.Kind == Extract {
		return t.Shard
	}
	return string(t.Kind)
}

// String names a task in errors and logs.
func (t Task) String() string {
	return fmt.Sprintf("%s of %s/%s.%d", t.Unit(), t.Owner, t.Drop, t.Gen)
}

// kindOf gives the kind of a unit by its name.
func kindOf(unit string) Kind {
	switch k := Kind(unit); k {
	case Ingest, Assemble:
		return k
	}
	return Extract
}
