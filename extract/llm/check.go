package llm

import "context"

// Check asks the model about nothing, with the prompt and the fields of every request. form names
// the way in which it is held to the form of an answer. The errors are those of Ask.
func (x *Extractor) Check(ctx context.Context) (form string, err error) {
	a := &asker{x: x, answers: nothing{}}
	var done func()
	a.budget, done = x.budget(a.answers)
	defer done()
	d, err := a.probe(ctx)
	return string(d.Rung), err
}
