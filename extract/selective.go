package extract

// Selective is implemented by extractors that can tell from a document's text that there is nothing
// in it for them, far more cheaply than it can be parsed. False is certain, true is not.
type Selective interface {
	Wants(raw []byte) bool
}

// Wants tells whether an extractor may find something in a document.
func Wants(e Extractor, raw []byte) bool {
	s, ok := e.(Selective)
	return !ok || s.Wants(raw)
}
