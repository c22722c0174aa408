package search

// Kinds of hits, which are also what a search can be limited to.
const (
	KindMessage = "messages"
	KindMemory  = "memories"
	KindTitle   = "titles"
	KindAsset   = "assets"
)

// Kinds are all kinds of hits.
func Kinds() []string { return []string{KindMessage, KindMemory, KindTitle, KindAsset} }

// Hit is a place where the words of a query are.
type Hit struct {
	// Kind is message, memory, title or asset.
	Kind string `json:"kind"`
	// Match says how the words are there: words (all, as they were given), forms (all, some in another
	// form), meaning (a memory that means the same, in other words) or some (not all of them).
	Match        string `json:"match"`
	Provider     string `json:"provider,omitempty"`
	Date         string `json:"date,omitempty"`
	Conversation string `json:"conversation,omitempty"`
	Title        string `json:"title,omitempty"`
	Message      string `json:"message,omitempty"`
	Role         string `json:"role,omitempty"`
	// Branch is the number of the first branch with the message, of Branches; both are 0 for what is
	// not a message.
	Branch   int `json:"branch,omitempty"`
	Branches int `json:"branches,omitempty"`
	// Memory, Type and Status are those of a memory.
	Memory string `json:"memory,omitempty"`
	Type   string `json:"type,omitempty"`
	Status string `json:"status,omitempty"`
	Snippet

	at    int64
	score float64
	order int
}

// matchMeaning is the match of a memory that has other words and means the same.
const matchMeaning = "meaning"

// kindNames are the kinds in hits.
var kindNames = map[string]string{KindMessage: "message", KindMemory: "memory", KindTitle: "title", KindAsset: "asset"}
