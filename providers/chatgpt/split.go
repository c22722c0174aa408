package chatgpt

import (
	"bufio"
	"context"
	"errors"
	"io"
	"iter"

	"github.com/pamline/pamline/providers/cut"
	"github.com/pamline/pamline/providers/importer"
)

// Split cuts the claimed members into units, in the order of the archive: one for each conversation
// element, one for each sidecar, in 2026.07 one for all files together, and the last ones for the
// pages beside JSON files, for what joined no conversation, and for what the export says is
// missing.
func (imp Importer) Split(ctx context.Context, c importer.Claim, limits importer.Limits) iter.Seq2[importer.Unit, error] {
	return func(yield func(importer.Unit, error) bool) {
		limits = limits.WithDefaults()
		j, _ := c.Context.(*joined)
		firstAsset := true
		seen := newSeen(j)
		pages := imp.newTwins(ctx, c, limits, yield)
		defer pages.close()
		for _, m := range c.Members {
			u := importer.Unit{Member: m.Member, Role: m.Role, Context: j, Limits: limits}
			switch m.Role {
			case roleConversations:
				if !splitMember(ctx, u, pages.watch(seen.watch(yield))) {
					return
				}
				continue
			case rolePage:
				if !splitMember(ctx, u, seen.watch(yield)) {
					return
				}
				continue
			case roleTwin:
				if pages != nil {
					continue
				}
			case roleTasks:
				if !cut.Elements(ctx, u, cut.Options{Wrappers: taskWrappers, Rest: roleReport, Recognize: isTask}, yield) {
					return
				}
				continue
			case roleRecord:
				if !cut.Text(ctx, u, yield) {
					return
				}
				continue
			case importer.RoleAsset:
				continue
			case roleFile:
				if !firstAsset {
					continue
				}
				firstAsset = false
			}
			if !yield(u, nil) {
				return
			}
		}
		if pages != nil && !pages.split(seen.watch(yield)) {
			return
		}
		for _, u := range seen.unmatched() {
			u.Limits = limits
			if !yield(u, nil) {
				return
			}
		}
		if j != nil && len(j.missing) > 0 && len(c.Members) > 0 {
			yield(importer.Unit{Member: j.manifest, Role: roleReport, Context: j, Limits: limits}, nil)
		}
	}
}

// splitMember yields the elements of one member. It tells whether to go on.
func splitMember(ctx context.Context, u importer.Unit, yield func(importer.Unit, error) bool) bool {
	o := cut.Options{Rest: roleReport}
	if u.Role == rolePage || u.Role == roleTwin {
		o.Prepare = pageData
		return cut.Elements(ctx, u, o, yield)
	}
	o.Recognize = func(prefix []byte) bool { return isConversation(importer.Sniff(prefix).Root) }
	if j, _ := u.Context.(*joined); j != nil && j.wrapped[u.Member.Index] {
		o.Wrappers = []string{"conversations"}
	}
	return cut.Elements(ctx, u, o, yield)
}

// pageData gives the conversations in a page and where they start.
func pageData(r io.Reader) (io.Reader, int64, error) {
	page := &countingReader{r: r}
	br := bufio.NewReaderSize(page, 64<<10)
	found, err := skipToPageData(br)
	if err != nil || !found {
		return nil, 0, errors.New("the page has no conversations in it")
	}
	return &valueReader{r: br}, page.n - int64(br.Buffered()), nil
}

type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}
