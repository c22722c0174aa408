package blob

import (
	"errors"
	"fmt"
	"io"
)

// stream reads an object in order, block by block, through ranges that grow.
type stream struct {
	pos, end int64 // what comes next, and where the open range ends
	length   int64 // of the next range
	blocks   int   // read so far
	body     io.ReadCloser
}

// next reads the block at pos.
func (st *stream) next(r *ReaderAt) ([]byte, error) {
	if st.pos >= st.end {
		if err := st.open(r); err != nil {
			return nil, err
		}
	}
	data := make([]byte, min(blockSize, r.obj.Size-st.pos))
	if _, err := io.ReadFull(st.body, data); err != nil {
		if err == io.EOF {
			err = io.ErrUnexpectedEOF
		}
		return nil, fmt.Errorf("read object %q at byte %d: %w", r.obj.Key, st.pos, err)
	}
	st.pos += int64(len(data))
	if st.pos >= st.end {
		if err := st.close(); err != nil {
			return nil, fmt.Errorf("read object %q at byte %d: %w", r.obj.Key, st.pos, err)
		}
	}
	return data, nil
}

func (st *stream) open(r *ReaderAt) error {
	length := min(st.length, r.obj.Size-st.pos)
	body, obj, err := r.s.Get(r.ctx, r.obj.Key, Range{Offset: st.pos, Length: length})
	if errors.Is(err, ErrNotExist) {
		return fmt.Errorf("read object %q at byte %d: %w: it was deleted", r.obj.Key, st.pos, ErrChanged)
	}
	if err != nil {
		return err
	}
	st.body = body
	if obj.ETag != r.obj.ETag {
		return fmt.Errorf("read object %q at byte %d: %w", r.obj.Key, st.pos, ErrChanged)
	}
	st.end = st.pos + length
	st.length = min(st.length*growth, maxRange)
	return nil
}

func (st *stream) close() error {
	if st.body == nil {
		return nil
	}
	body := st.body
	st.body = nil
	return body.Close()
}
