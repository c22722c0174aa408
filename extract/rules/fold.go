package rules

// fold gives the form in which a word is looked up.
func fold(w string) string {
	var folded string
	s := scanner{meet: func(b []byte) { folded += string(b) }}
	s.reset(w, 0, len(w), &table{})
	for s.next() {
	}
	return folded
}
