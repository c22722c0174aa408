package s3

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/s3"

	"github.com/pamline/pamline/blob"
)

// settle sends a write until it is decided. An answer that may come from an earlier try of the same
// conditional write, whose response was lost, is checked against the object's nonce. Faults of the
// connection are tried again here for conditional writes only; for others the SDK has done so.
func (w *write) settle(ctx context.Context, send func() (blob.Object, error)) (blob.Object, error) {
	backoff := w.s.o.Backoff
	for try := 1; ; try++ {
		obj, err := send()
		if err == nil {
			return obj, nil
		}
		if ctx.Err() != nil {
			return blob.Object{}, ctx.Err()
		}
		if w.conditional() && w.refused(err) {
			obj, err := w.recognize(ctx, blob.ErrPrecondition)
			if !errors.Is(err, errDeleted) || try >= backoff.Tries() {
				return obj, err
			}
			if err := backoff.Wait(ctx, try); err != nil {
				return blob.Object{}, err
			}
			continue
		}
		if !isConflict(err) && !(w.conditional() && transient(err)) && !w.foldersMoved(ctx, err) {
			return blob.Object{}, err
		}
		if try >= backoff.Tries() {
			return w.recognize(ctx, fmt.Errorf("after %d tries: %w", try, err))
		}
		if err := backoff.Wait(ctx, try); err != nil {
			return blob.Object{}, err
		}
	}
}

// refused: the server says that the condition does not hold.
func (w *write) refused(err error) bool {
	if status(err) == http.StatusPreconditionFailed {
		return true
	}
	return w.o.IfMatch != "" && status(err) == http.StatusNotFound && code(err) != "NoSuchBucket" && code(err) != "NoSuchUpload"
}

// foldersMoved: a server that keeps objects as files says that an object and a folder would share a
// name, and there is no such object or folder. versitygw 1.8.0 says so when a Delete removes the
// emptied folder that a Put is about to use.
func (w *write) foldersMoved(ctx context.Context, err error) bool {
	if !sharesName[code(err)] {
		return false
	}
	for i, c := range w.key {
		if c != '/' {
			continue
		}
		if _, _, err := w.s.head(ctx, w.key[:i]); status(err) != http.StatusNotFound {
			return false // it is one, or we cannot tell
		}
	}
	below, err := w.s.client.ListObjectsV2(ctx, &s3.ListObjectsV2Input{
		Bucket: &w.s.o.Bucket, Prefix: w.s.name(w.key + "/"), MaxKeys: aws.Int32(1),
	})
	return err == nil && len(below.Contents) == 0
}

// errDeleted: a server refuses to write an object that must be absent, and there is no such object.
// It was deleted in between, or the server takes what was deleted for an object as long as it keeps
// versions of it (versitygw 1.8.0). An ErrPrecondition would say that the object is there.
var errDeleted = errors.New("the server refuses to make an object again that was deleted")

// recognize looks whether the object is this write's after all, and gives the verdict otherwise.
func (w *write) recognize(ctx context.Context, verdict error) (blob.Object, error) {
	obj, nonce, err := w.s.head(ctx, w.key)
	switch {
	case err == nil && nonce == w.nonce:
		return obj, nil
	case w.o.IfAbsent && status(err) == http.StatusNotFound && errors.Is(verdict, blob.ErrPrecondition):
		return blob.Object{}, errDeleted
	case err == nil, status(err) == http.StatusNotFound:
		return blob.Object{}, verdict
	case !errors.Is(verdict, blob.ErrPrecondition):
		return blob.Object{}, verdict
	}
	return blob.Object{}, fmt.Errorf("find out who wrote the object: %w", err)
}
