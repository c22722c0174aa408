package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/pamline/pamline/pipeline"
)

// askTimeout bounds one question.
const askTimeout = 30 * time.Second

// Ask asks the service that uses a data folder for imports. A query without a limit is asked for page by page.
// ErrNotRunning: there is no service.
func Ask(ctx context.Context, folder string, q pipeline.Query) (pipeline.Listed, error) {
	c, err := findReader(folder)
	if err != nil {
		return pipeline.Listed{}, err
	}
	out := pipeline.Listed{Imports: []pipeline.Status{}}
	for {
		rest := q
		rest.Limit = maxLimit
		if q.Limit > 0 {
			rest.Limit = min(maxLimit, q.Limit-len(out.Imports))
		}
		some, err := c.page(ctx, rest)
		if err != nil {
			return out, err
		}
		out.Imports, out.Next = append(out.Imports, some.Imports...), some.Next
		if some.Next == "" || q.Limit > 0 && len(out.Imports) >= q.Limit {
			return out, nil
		}
		q.After = some.Next
	}
}

// findReader gives the service that uses a data folder. Without the token it may answer, too.
func findReader(folder string) (*Caller, error) {
	c := &Caller{folder: folder}
	addr, err := os.ReadFile(filepath.Join(folder, addrFile))
	if errors.Is(err, os.ErrNotExist) {
		return nil, ErrNotRunning
	}
	if err != nil {
		return nil, fmt.Errorf("read address of the service: %w: have the folder's owner let you read it", err)
	}
	c.addr = strings.TrimSpace(string(addr))
	token, err := os.ReadFile(filepath.Join(folder, tokenFile))
	if err != nil && !errors.Is(err, os.ErrNotExist) && !errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("read token of the service: %w", err)
	}
	c.token = strings.TrimSpace(string(token))
	return c, nil
}

func (c *Caller) page(ctx context.Context, q pipeline.Query) (l pipeline.Listed, err error) {
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	v := url.Values{"limit": {strconv.Itoa(q.Limit)}}
	for name, value := range map[string]string{"owner": q.Owner, "state": q.State, "id": q.Import, "after": q.After} {
		if value != "" {
			v.Set(name, value)
		}
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.addr+"/imports?"+v.Encode(), nil)
	if err != nil {
		return l, fmt.Errorf("ask service: %w", err)
	}
	req.Header.Set(tokenHeader, c.token)
	resp, err := straight.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return l, fmt.Errorf("ask service: %w", err)
		}
		return l, fmt.Errorf("%w: %w", ErrNotRunning, err) // it was killed and left its address behind
	}
	defer resp.Body.Close()
	if resp.Header.Get(folderHeader) != folderID(c.folder) {
		return l, fmt.Errorf("%w: its port answers for somebody else", ErrNotRunning)
	}
	if resp.StatusCode != http.StatusOK {
		p := problem{Error: resp.Status}
		if resp.StatusCode == http.StatusUnauthorized || resp.StatusCode == http.StatusForbidden {
			return l, errors.New("ask service: it answers who can read its data folder: run the command as the user who runs the service")
		}
		_ = json.NewDecoder(resp.Body).Decode(&p) // what cannot be read is missing from the message only
		if resp.StatusCode == http.StatusBadRequest {
			return l, fmt.Errorf("%w: %s", pipeline.ErrQuery, strings.TrimPrefix(p.Error, pipeline.ErrQuery.Error()+": "))
		}
		return l, fmt.Errorf("ask service: %s: %s", p.Error, p.Hint)
	}
	if err := json.NewDecoder(resp.Body).Decode(&l); err != nil {
		return l, fmt.Errorf("ask service: %w", err)
	}
	return l, nil
}
