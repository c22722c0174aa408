package validate

// memoryFacts is what must be known of a memory when all are seen.
type memoryFacts struct {
	index        int
	id           string
	status       string
	changed      instant // updated_at, else created_at
	supersededBy string
	conversation string
	message      string
	embedding    string
}

type relationFacts struct {
	index    int
	id       string
	from, to string
}

// entryFacts is what must be known of an index entry when its conversation file is read.
type entryFacts struct {
	Index     int      `json:"i"`
	ID        string   `json:"id"`
	Platform  string   `json:"p"`
	Title     *string  `json:"t"`
	Messages  *int64   `json:"m"`
	CreatedAt string   `json:"c"`
	UpdatedAt string   `json:"u"`
	Tags      []string `json:"g"`
	HasTags   bool     `json:"h"`

	derived []string
	path    string // of the conversation file in the bundle, "" when none is named or it leads out
}

type embeddingFacts struct {
	index  int
	id     string
	memory string
}
