package pipeline

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

var letterForm = regexp.MustCompile(`^pam\.dlq\.[a-z]+\.(_|[a-z0-9][a-z0-9_-]{0,62})(\.[0-9a-f]{32,64}){1,2}$`)

func FuzzLetterSubject(f *testing.F) {
	f.Add(1, "pam.extract.small.me.a.b", []byte(`{"owner":"me","import":"0123456789abcdef0123456789abcdef","shard":"0123456789abcdef0123456789abcdef"}`))
	f.Add(0, "pam.take.small.me.x y.>", []byte(`{"owner":"me","key":"inbox/me/a.zip"}`))
	f.Add(2, "", []byte(`{"owner":"../you","drop":"*"}`))
	f.Add(3, "pam.assemble.1.me", []byte(`{"owner":"me.>"`))
	stages := []string{telemetry.StageTake, telemetry.StageExtract, telemetry.StageIngest, telemetry.StageAssemble, telemetry.StageEvents}
	f.Fuzz(func(t *testing.T, n int, subject string, body []byte) {
		stage := stages[uint(n)%uint(len(stages))]
		got := letterSubject(stage, subject, body)
		if !letterForm.MatchString(got) {
			t.Fatalf("subject %q", got)
		}
		if owner := strings.Split(got, ".")[3]; owner != state.Nobody && owner != telemetry.UnitOf(body).Owner {
			t.Errorf("a letter of %q lies with %q", telemetry.UnitOf(body).Owner, owner)
		}
	})
}

func FuzzLetter(f *testing.F) {
	f.Add("pam.dlq.extract.me.x", []byte("{"))
	f.Add("pam.dlq.assemble.you.z", []byte(`{"v":1,"stage":"assemble","owner":"me","subject":"pam.assemble.1.me","task":{"owner":"me"}}`))
	f.Add("pam.dlq", []byte(`{"v":1,"task":"00ff"}`))
	f.Add("pam.dlq.ingest.me.0123456789abcdef0123456789abcdef",
		[]byte(`{"v":1,"stage":"ingest","owner":"me","subject":"s","task":{"owner":"me","drop":"0123456789abcdef0123456789abcdef"}}`))
	f.Fuzz(func(t *testing.T, subject string, data []byte) {
		one := readLetter(&jetstream.RawStreamMsg{Subject: subject, Data: data, Sequence: 7})
		if len(one.ID) != idLength || one.Seq != 7 {
			t.Fatalf("%+v", one)
		}
		if body := telemetry.UnitOf(one.body()); body.Owner != "" && !slices.Contains(strings.Split(subject, "."), body.Owner) && !strings.Contains(subject, "."+state.Nobody+".") {
			t.Errorf("a letter at %q has a task of %q", subject, body.Owner)
		}
	})
}

func FuzzServerVersion(f *testing.F) {
	for _, v := range []string{"2.15.2", "v2.9", "", "x.y", "99999999999999999999.1", "-1.-1"} {
		f.Add(v, true)
	}
	f.Fuzz(func(t *testing.T, version string, cluster bool) {
		if err := checkVersionOf(version, cluster); err != nil && !strings.Contains(err.Error(), "upgrade") {
			t.Errorf("%q: %v", version, err)
		}
	})
}
