package assemble

import "github.com/google/uuid"

// Stats count what happened.
type Stats struct {
	// Snapshots were read, Distinct of them differ from the others of their conversation.
	Snapshots int64 `json:"snapshots"`
	Distinct  int64 `json:"distinct"`
	// Conversations = New + Changed + Unchanged; Removed are those of the head that have no
	// snapshot any more.
	Conversations int64 `json:"conversations"`
	New           int64 `json:"new"`
	Changed       int64 `json:"changed"`
	Unchanged     int64 `json:"unchanged"`
	Removed       int64 `json:"removed"`
	// Folded conversations have more than one distinct snapshot; Conflicts counts the values kept
	// aside in them.
	Folded    int64 `json:"folded"`
	Conflicts int64 `json:"conflicts"`
	// Candidates were read, Evidence is what was left of theirs after removing repetitions,
	// Memories is the number of memories.
	Candidates int64 `json:"candidates"`
	Evidence   int64 `json:"evidence"`
	Memories   int64 `json:"memories"`
	// Memories = Active + Superseded + Deprecated + Retracted + Archived. Duplicates are those of
	// the archived ones that another memory stands for.
	Active     int64 `json:"active"`
	Superseded int64 `json:"superseded"`
	Deprecated int64 `json:"deprecated"`
	Retracted  int64 `json:"retracted"`
	Archived   int64 `json:"archived"`
	Duplicates int64 `json:"duplicates"`
	// Relations counts them by type, Embeddings the vectors that were kept.
	Relations  map[string]int64 `json:"relations,omitempty"`
	Embeddings int64            `json:"embeddings"`
	// Dangling counts evidence that names a conversation outside the index.
	Dangling int64 `json:"dangling"`
	// Dropped counts candidates, edits and vectors, or single fields of candidates, left out
	// because there is no place for them, by reason.
	Dropped map[string]int64 `json:"dropped,omitempty"`
	// BytesRead and BytesWritten count conversation documents.
	BytesRead    int64 `json:"bytes_read"`
	BytesWritten int64 `json:"bytes_written"`
}

func (s *Stats) drop(reason string) {
	if s.Dropped == nil {
		s.Dropped = map[string]int64{}
	}
	s.Dropped[reason]++
}

// count takes a memory that was written.
func (s *Stats) count(v *verdict) {
	s.Memories++
	switch v.status {
	case active:
		s.Active++
	case superseded:
		s.Superseded++
	case deprecated:
		s.Deprecated++
	case retracted:
		s.Retracted++
	case archived:
		s.Archived++
	}
	if v.duplicateOf != uuid.Nil {
		s.Duplicates++
	}
}
