package chatgpt

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"path"
	"strings"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pamio/jsonscan"
	"github.com/pamline/pamline/providers/importer"
)

// assetsMark stands before the table of files in chat.html: paths by pointer.
var assetsMark = []byte("var assetsJson = ")

// findAssets makes the files of the archive known. Files that only the lists name become assets,
// too.
func (j *joined) findAssets(ctx context.Context, members []archive.Member, role []string, limits importer.Limits) error {
	some := false
	for i := range members {
		some = some || role[i] == importer.RoleAsset || role[i] == ""
	}
	for i, m := range members {
		if some && (role[i] == rolePage || role[i] == roleTwin) {
			if err := j.files.page(ctx, m, limits); err != nil {
				return err
			}
		}
	}
	listed := j.files.listed()
	for i, m := range members {
		if role[i] == "" && listed[path.Base(m.Name)] {
			role[i] = importer.RoleAsset
		}
		if role[i] == importer.RoleAsset {
			j.files.add(m)
		}
	}
	return nil
}

// page reads the table of a page, if it has one that can be read.
func (a *assets) page(ctx context.Context, m archive.Member, limits importer.Limits) error {
	r, err := m.Open(ctx)
	if err != nil {
		return ctx.Err() // the page is a twin of what else is read, or Split says what is wrong with it
	}
	defer r.Close() //nolint:errcheck // only read
	br := bufio.NewReaderSize(r, 256<<10)
	for {
		found, err := skipToAssets(br)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil || !found {
			return nil
		}
		value, err := io.ReadAll(io.LimitReader(&valueReader{r: br}, limits.MaxSidecar))
		if err != nil {
			return ctx.Err()
		}
		if clean, changed := unescapePage(value); changed {
			value = clean
		}
		doc, err := jsonscan.Parse(value, limits.MaxDepth)
		if err != nil {
			continue
		}
		for k, v := range doc.Root().Fields() {
			if v.Kind() != jsonscan.String || v.Odd() || k.Odd() {
				continue
			}
			if a.paths == nil {
				a.paths = map[string]string{}
			}
			a.paths[strings.TrimSpace(k.Str())] = v.Str()
		}
	}
}

// skipToAssets reads up to the end of the mark, which stands at the start of a line: in the
// conversations before it, ends of lines are escaped.
func skipToAssets(r *bufio.Reader) (found bool, err error) {
	for {
		_, err := r.ReadSlice('\n')
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		head, err := r.Peek(maxIndent + len(assetsMark))
		if err != nil && !errors.Is(err, io.EOF) {
			return false, err
		}
		indent := len(head) - len(bytes.TrimLeft(head, " \t"))
		if bytes.HasPrefix(head[indent:], assetsMark) {
			_, err := r.Discard(indent + len(assetsMark))
			return err == nil, err
		}
	}
}

// maxIndent is how far the mark may be indented.
const maxIndent = 64
