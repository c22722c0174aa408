package exit

import (
	"context"
	"errors"
	"fmt"
	"testing"
)

func TestCode(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want int
	}{
		"nothing wrong":              {nil, Done},
		"any error":                  {errors.New("no"), Failed},
		"a code of its own":          {With(Partial, nil), Partial},
		"a code further down":        {fmt.Errorf("import: %w", With(Usage, errors.New("no"))), Usage},
		"cancelled":                  {fmt.Errorf("read: %w", context.Canceled), Interrupted},
		"a deadline is no interrupt": {context.DeadlineExceeded, Failed},
		"a code wins over cancelled": {With(Partial, context.Canceled), Partial},
	} {
		t.Run(name, func(t *testing.T) {
			if got := Code(tc.err); got != tc.want {
				t.Errorf("got %d, want %d", got, tc.want)
			}
		})
	}
}
