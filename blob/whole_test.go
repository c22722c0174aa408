package blob_test

import (
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pamline/pamline/blob"
)

func TestReadAllIsBounded(t *testing.T) {
	m := newMemory()
	if _, err := m.Put(t.Context(), "o", strings.NewReader("12345"), blob.PutOptions{}); err != nil {
		t.Fatal(err)
	}
	if data, obj, err := blob.ReadAll(t.Context(), m, "o", 5); string(data) != "12345" || obj.Size != 5 || err != nil {
		t.Errorf("%q, %+v, %v", data, obj, err)
	}
	if _, _, err := blob.ReadAll(t.Context(), m, "o", 4); !errors.Is(err, blob.ErrTooLarge) {
		t.Errorf("got %v", err)
	}
	if _, _, err := blob.ReadAll(t.Context(), m, "p", 4); !errors.Is(err, blob.ErrNotExist) {
		t.Errorf("got %v", err)
	}
	m.cutShort = 2
	if _, _, err := blob.ReadAll(t.Context(), m, "o", 5); !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("got %v", err)
	}
}

func TestProbeFindsStoresThatIgnoreConditions(t *testing.T) {
	m := newMemory()
	if err := blob.ProbeConditions(t.Context(), m, "probe/"); err != nil {
		t.Error(err)
	}
	if len(m.objects) != 0 {
		t.Errorf("left behind: %v", m.objects)
	}
	m.lax = true
	if err := blob.ProbeConditions(t.Context(), m, "probe/"); !errors.Is(err, blob.ErrConditions) {
		t.Errorf("got %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := blob.ProbeConditions(ctx, m, "probe/"); !errors.Is(err, context.Canceled) || errors.Is(err, blob.ErrConditions) {
		t.Errorf("got %v", err)
	}
}

func TestPausesDoubleUpToTheLimit(t *testing.T) {
	var got []time.Duration
	for _, jitter := range []float64{0, 0.999999} {
		b := blob.Backoff{Base: time.Second, Max: 5 * time.Second, Jitter: func() float64 { return jitter },
			Sleep: func(_ context.Context, d time.Duration) error {
				got = append(got, d.Round(time.Millisecond))
				return nil
			}}
		for failed := range 5 {
			if err := b.Wait(t.Context(), failed+1); err != nil {
				t.Fatal(err)
			}
		}
	}
	const s = time.Second
	for i, want := range []time.Duration{s / 2, s, 2 * s, 5 * s / 2, 5 * s / 2, s, 2 * s, 4 * s, 5 * s, 5 * s} {
		if got[i] != want {
			t.Errorf("pause %d is %v, want %v", i, got[i], want)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := (blob.Backoff{Base: time.Hour, Max: time.Hour}).Wait(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled pause: %v", err)
	}
}

func TestErrorsNameOperationKeyAndHint(t *testing.T) {
	err := &blob.Error{Op: "put", Key: "a/b", Hint: "free space", Err: errors.New("disk full")}
	if got, want := err.Error(), `put object "a/b": disk full (free space)`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
