package probe

import (
	"context"
	"fmt"
	"time"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/cmd/internal/storage"
	"github.com/pamline/pamline/config"
)

// Small parts and pages let the check meet, with few bytes, what large drops and many objects meet
// later.
const (
	checkPart = 5 << 20
	checkPage = 5
)

// maxSkew is how far clocks may be apart before it is worth a word. S3 refuses requests from a
// quarter of an hour on.
const maxSkew = time.Minute

// Store tries what the pipeline needs of the store. local is the folder of a store.kind dir that
// names none; id makes the names of the scratch objects.
func Store(c config.Store, local, id string) Part {
	return Part{Name: "store", Run: func(ctx context.Context, say *Say) {
		if c.Kind == "s3" {
			bucket(ctx, say, c.S3, id)
			return
		}
		s, closeStore, err := storage.Open(ctx, c, local)
		if !say.Try("open the folder", "", err) {
			return
		}
		tell(ctx, say, s, id)
		if err := closeStore(); err != nil {
			say.Fail("close the folder", err, "")
		}
	}}
}

func tell(ctx context.Context, say *Say, s blob.Store, id string) {
	storage.Check(ctx, s, id, checkPart, func(step storage.Step) { say.Try(step.Name, step.Hint, step.Err) })
}

func bucket(ctx context.Context, say *Say, c config.S3, id string) {
	o, err := storage.Options(c)
	if err == nil {
		o.PartSize, o.PageSize = checkPart, checkPage
	}
	var s *s3.Store
	if err == nil {
		s, err = s3.Open(ctx, o)
	}
	if !say.Try("read the settings of bucket "+c.Bucket, "", err) {
		return
	}
	b, err := s.Describe(ctx)
	if !say.Try("find bucket "+c.Bucket, "", err) {
		return
	}
	describe(say, b)
	key := "work/check/" + id + "/mark"
	say.Try("get the metadata of an object back", "use a server that keeps metadata: without it, a write whose answer was lost looks like somebody else's", s.CheckMarks(ctx, key))
	tell(ctx, say, s, id)
}

func describe(say *Say, b s3.Bucket) {
	switch {
	case !b.ClockKnown:
		say.Note("compare the clocks", "the server does not say its time")
	default:
		skew(say, "the store's", b.Ahead)
	}
	say.Note("encryption that the bucket asks for by itself", b.Encryption)
	if b.Versioning == "on" {
		say.Warn("versioning of the bucket", "on: what is deleted or replaced stays as an old version, personal data that was erased included",
			"give the bucket a rule that removes old versions, or switch versioning off")
	} else {
		say.Note("versioning of the bucket", b.Versioning)
	}
	if b.Uploads == "kept for ever" {
		say.Warn("what unfinished uploads leave", "it is kept, and paid for, for ever", "give the bucket a rule that removes incomplete multipart uploads after a few days")
	} else {
		say.Note("what unfinished uploads leave", b.Uploads)
	}
}

// skew compares a clock with that of this machine.
func skew(say *Say, whose string, ahead time.Duration) {
	what := "compare " + whose + " clock with that of this machine"
	if ahead.Abs() <= maxSkew {
		say.OK(what, "")
		return
	}
	way := "ahead"
	if ahead < 0 {
		way = "behind"
	}
	say.Warn(what, fmt.Sprintf("%s is %s %s", whose, ahead.Abs().Round(time.Second), way), "switch on time synchronisation on both: waits, expiry and signatures go by these clocks")
}
