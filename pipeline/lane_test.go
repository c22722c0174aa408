package pipeline

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"fmt"
	"hash/crc32"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/pamline/pamline/archive"
	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/ingest"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// zipOfNothing writes a zip with so many members of a mebibyte of zeros. They are compressed once, for all of them.
func zipOfNothing(t *testing.T, members int) string {
	t.Helper()
	zeros := make([]byte, 1<<20)
	var packed, file bytes.Buffer
	c, err := flate.NewWriter(&packed, flate.BestCompression)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(zeros); err != nil {
		t.Fatal(err)
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(&file)
	for n := range members {
		w, err := z.CreateRaw(&zip.FileHeader{
			Name: fmt.Sprintf("%d.json", n), Method: zip.Deflate, CRC32: crc32.ChecksumIEEE(zeros),
			CompressedSize64: uint64(packed.Len()), UncompressedSize64: uint64(len(zeros)),
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(packed.Bytes()); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "export.zip")
	if err := os.WriteFile(name, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

func TestSmallArchiveThatUnpacksToMuchGoesTheWayOfTheLargeOnes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	file := zipOfNothing(t, bulkUnpacked>>20+1)
	rec, err := TakeIn(t.Context(), r.Store, "ann", []string{file}, r.Scratch)
	if err != nil {
		t.Fatal(err)
	}
	q := state.Request{V: state.MessageVersion, Owner: "ann", Drop: rec.Drop, Lane: Lane(rec.Bytes())}
	if err := submit(t.Context(), r.Store, r.js, q, 0); err != nil {
		t.Fatal(err)
	}
	st := stage{telemetry.StageIngest, r.ingest, r.giveUpIngest, r.endIngest}
	r.one(t.Context(), r.fetched(t, StreamIngest, "ingest-small"), st)
	msg := r.fetched(t, StreamIngest, "ingest-bulk")
	moved, err := decodeTask[state.Request](msg.Data())
	if err != nil || moved.Lane != state.LaneBulk || moved.Drop != q.Drop || moved.Name() != q.Name() {
		t.Fatalf("%+v, %v", moved, err)
	}
	r.one(t.Context(), msg, st)                                                // there it is read: it is no export
	eventually(t, func() bool { return queuedIn(t, r.js, StreamIngest) == 0 }) // a removed message is told of a moment later
	if l := r.letters(t); len(l) != 1 || l[0].Class != fault.Permanent {
		t.Errorf("letters %+v", l)
	}
}

func TestWeightOfMembersThatDeclareNoSizeIsMuch(t *testing.T) {
	for n, sizes := range map[int64][]int64{0: nil, 3: {1, 2}, math.MaxInt64: {1, -1}} {
		a := &archive.Archive{}
		for i, size := range sizes {
			a.Members = append(a.Members, archive.NewMember("m", size, i, nil))
		}
		if got := ingest.UnpackedBytes(a); got != n {
			t.Errorf("%v: %d", sizes, got)
		}
	}
}
