package publish

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"
	"go.uber.org/zap"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
)

// gathered.zst is a gatheredHead, and then for each copy a line that describes it and its bytes as they are.

type gatheredHead struct {
	V int `json:"v"`
}

const gatheredVersion = 1

type gatheredLine struct {
	Name string `json:"k"`
	Tag  string `json:"e"` // "": there is no such object
	Size int64  `json:"n"`
}

// gatheredLineMost bounds a line: a name has two digests, a tag what a store makes of it.
const gatheredLineMost = 4 << 10

var errGathered = errors.New("it is not one that this version writes")

// load takes the object over. One that cannot be read is told of and not used: what it has copies of is there, too.
func (g *gathered) load(ctx context.Context) error {
	rc, _, err := g.Store.Get(ctx, GatheredKey(g.owner), blob.Range{})
	if state.IsMissing(err) {
		return nil
	}
	if err != nil {
		return err
	}
	defer rc.Close()
	err = g.Decode(rc)
	if err == nil || ctx.Err() != nil {
		return ctx.Err()
	}
	g.log.Warn("gathered objects cannot be read; reading each where it lies, and gathering them anew", zap.String("owner", g.owner), zap.String("error", fault.Loggable(err)))
	clear(g.Copies)
	g.End = 0
	return nil
}

func (g *gathered) Decode(body io.Reader) error {
	z, err := zstd.NewReader(body, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(state.MaxWindow))
	if err != nil {
		return err
	}
	defer z.Close()
	r := bufio.NewReaderSize(z, gatheredLineMost)
	var head gatheredHead
	if err := readGatheredLine(r, &head); err != nil || head.V != gatheredVersion {
		return errors.Join(errGathered, err)
	}
	for {
		var l gatheredLine
		err := readGatheredLine(r, &l)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if l.Size < 0 || l.Size > GatherEach || g.End+l.Size > GatherMost {
			return errGathered
		}
		if _, err := io.CopyN(io.NewOffsetWriter(g.file, g.End), r, l.Size); err != nil {
			return fmt.Errorf("%w: %w", errGathered, err)
		}
		g.Copies[l.Name] = &copied{tag: l.Tag, At: g.End, Size: l.Size}
		g.End += l.Size
	}
}

// readGatheredLine gives io.EOF at the end, where no line begins.
func readGatheredLine(r *bufio.Reader, into any) error {
	line, err := r.ReadSlice('\n')
	switch {
	case errors.Is(err, io.EOF) && len(line) == 0:
		return io.EOF
	case errors.Is(err, io.EOF), errors.Is(err, bufio.ErrBufferFull):
		return errGathered
	case err != nil:
		return err
	}
	return json.Unmarshal(line, into)
}

// keep writes what this assembly has read as the next one's copies, when there is enough that is new.
func (g *gathered) keep(ctx context.Context) error {
	if g.Alone < gatherAt {
		return nil
	}
	r, w := io.Pipe()
	var packing sync.WaitGroup
	packing.Go(func() { w.CloseWithError(g.encode(w)) })
	_, err := g.Store.Put(ctx, GatheredKey(g.owner), r, blob.PutOptions{})
	r.CloseWithError(io.ErrClosedPipe) // ends the packing of a failed Put
	packing.Wait()                     // the file is the caller's again
	return err
}

func (g *gathered) encode(w io.Writer) error {
	// Manifests and lists are much like their neighbours: a small window finds that, and takes little memory.
	z, err := zstd.NewWriter(w, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(256<<10))
	if err != nil {
		return err
	}
	e := json.NewEncoder(z)
	err = e.Encode(gatheredHead{V: gatheredVersion})
	for _, name := range slices.Sorted(maps.Keys(g.Copies)) {
		c := g.Copies[name]
		if err != nil || !c.used {
			continue
		}
		if err = e.Encode(gatheredLine{Name: name, Tag: c.tag, Size: c.Size}); err == nil {
			_, err = io.Copy(z, io.NewSectionReader(g.file, c.At, c.Size))
		}
	}
	return errors.Join(err, z.Close())
}
