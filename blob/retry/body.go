package retry

import "io"

// body is a request body that may be sent more than once.
type body struct {
	r      io.Reader
	seeker io.Seeker // nil when the body can be read only once
	start  int64
	read   bool
}

func newBody(r io.Reader) (*body, error) {
	b := &body{r: r}
	if s, ok := r.(io.Seeker); ok {
		start, err := s.Seek(0, io.SeekCurrent)
		if err != nil {
			return nil, err
		}
		b.seeker, b.start = s, start
	}
	return b, nil
}

// rewind goes back to the start, or nowhere when nothing was read yet.
func (b *body) rewind() error {
	if b.seeker == nil {
		return nil
	}
	_, err := b.seeker.Seek(b.start, io.SeekStart)
	return err
}

// reader gives the body itself when it can be rewound, so that the store sees its length.
func (b *body) reader() io.Reader {
	if b.seeker != nil {
		return b.r
	}
	return (*watched)(b)
}

// spent: something was read that cannot be read again.
func (b *body) spent() bool { return b.seeker == nil && b.read }

type watched body

func (w *watched) Read(p []byte) (int, error) {
	w.read = true
	return w.r.Read(p)
}
