package pipeline

import "testing"

func TestTheBrokerInsideMayBeAsSlowAsItsMachine(t *testing.T) {
	t.Parallel()
	l, err := OpenLocal(t.Context(), testDeps(t), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if in, answer := l.nc.Opts.Timeout, l.js.Options().DefaultTimeout; in != embeddedPatience || answer != embeddedPatience {
		t.Errorf("it has %s to let somebody in and %s to answer, want %s", in, answer, embeddedPatience)
	}
}
