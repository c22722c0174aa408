//go:build unix

package cluster

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestAnEndThatNobodyAskedForIsKeptWithItsLastWords(t *testing.T) {
	p := process(t, false, `i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo line $i; done; exit 7`)
	eventually(t, "it has ended", func() bool { return len(p.Ends()) == 1 })
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it has ended again", func() bool { return len(p.Ends()) == 2 })
	for n, e := range p.Ends() {
		if e.Name != "p" || e.Life != n+1 || e.Code != 7 || e.Asked || !strings.Contains(e.How, "7") {
			t.Errorf("%+v", e)
		}
		var want []string
		for i := 101 - lastLines; i <= 100; i++ {
			want = append(want, fmt.Sprintf("line %d", i))
		}
		if !slices.Equal(e.Last, want) {
			t.Errorf("last words %q", e.Last)
		}
	}
}

func TestWhoeverIsKilledByAnotherHasEndedByItself(t *testing.T) {
	p := process(t, false, `echo first; kill -KILL $$`)
	eventually(t, "it has ended", func() bool { return len(p.Ends()) == 1 })
	if e := p.Ends()[0]; e.Code != -1 || !strings.Contains(e.How, "killed") || !slices.Contains(e.Last, "first") {
		t.Errorf("killed by somebody else: %+v", e)
	}
}

func TestOnlyAnErrorIsKeptOfAProcessThatWasAskedToEnd(t *testing.T) {
	for code, kept := range map[int]int{0: 0, 3: 1} {
		p := process(t, true, fmt.Sprintf(`trap 'exit %d' TERM; echo up; while :; do sleep 0.01; done`, code))
		eventually(t, "it is up", func() bool { return said(t, p, "up") })
		p.Stop(time.Minute)
		if kept > 0 {
			eventually(t, "its error is kept", func() bool { return len(p.Ends()) == kept })
		}
		for _, e := range p.Ends() {
			if !e.Asked || e.Code != code || kept == 0 {
				t.Errorf("exit code %d: %+v", code, e)
			}
		}
	}
}

func TestAProcessThatIsKilledAndWantedAtOnceHasNotEndedByItself(t *testing.T) {
	p := process(t, true, "echo up; while :; do sleep 0.01; done")
	for range 20 {
		done := make(chan struct{})
		go func() {
			defer close(done)
			p.Kill()
		}()
		if err := p.Start(); err != nil { // another step
			t.Fatal(err)
		}
		<-done
		if err := p.Start(); err != nil {
			t.Fatal(err)
		}
	}
	if e := p.Ends(); len(e) > 0 || !p.Running() {
		t.Errorf("running %t, ends %+v", p.Running(), e)
	}
}
