package jsonscan

// sink collects the text of a value up to a limit; beyond it only the size is counted.
type sink struct {
	b     []byte
	limit int64 // 0: none
	over  bool
}

func (s *sink) put(p []byte) {
	if s.over {
		return
	}
	if s.limit > 0 && int64(len(s.b)+len(p)) > s.limit {
		s.over = true
		return
	}
	s.b = append(s.b, p...)
}

func (s *sink) putSink(o *sink) {
	if o.over {
		s.over = true
	}
	s.put(o.b)
}

// text is what was collected; nothing when it was too much.
func (s *sink) text() (b []byte, tooBig bool) {
	if s.over {
		return s.b[:0], true
	}
	return s.b, false
}

// mark is a position to cut back to.
func (s *sink) mark() int { return len(s.b) }

func (s *sink) cut(mark int) {
	if !s.over {
		s.b = s.b[:mark]
	}
}

// dropComma takes back a comma at the end.
func (s *sink) dropComma() {
	if n := len(s.b); !s.over && n > 0 && s.b[n-1] == ',' {
		s.b = s.b[:n-1]
	}
}
