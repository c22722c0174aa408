package segment

// Kind is what a segment of a message is.
type Kind uint8

// The kinds. All but Prose and, with less weight, Draft are no evidence of the person.
const (
	Prose    Kind = iota // the person's own plain talk
	Code                 // program text, markup, data
	Quote                // words of others, set off by quote marks or a leading ">"
	Pasted               // a text of others: article, chat log, web page
	Letter               // a letter or mail, with head or sign-off
	Roleplay             // speech and deeds of a character, and prompts that hand out roles
	Payload              // a text or an assignment to be worked on
	Table                // rows and columns
	Log                  // program output, stack traces
	Injected             // put in by a program: reminders, environment, output of tools
	Draft                // a text of the person's own about themselves, to be improved: a bio, an essay
)

var kindNames = [...]string{"prose", "code", "quote", "pasted", "letter", "roleplay", "payload", "table", "log", "injected", "draft"}

// String is the kind in lower case.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return "unknown"
}

// Segment is a range of bytes of a message.
type Segment struct {
	Kind       Kind
	Start, End int
}
