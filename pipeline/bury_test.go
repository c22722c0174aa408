package pipeline

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/fault"
	"github.com/pamline/pamline/pipeline/state"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// noLetters is a server that takes no dead letter while it is shut.
type noLetters struct {
	jetstream.JetStream
	shut bool
}

func (n *noLetters) PublishMsg(ctx context.Context, m *nats.Msg, opts ...jetstream.PublishOpt) (*jetstream.PubAck, error) {
	if n.shut && strings.HasPrefix(m.Subject, "pam.dlq.") {
		return nil, errCut
	}
	return n.JetStream.PublishMsg(ctx, m, opts...)
}

// heldMessage is the message of a task.
type heldMessage struct {
	jetstream.Msg
	subject string
	body    []byte
}

func (m heldMessage) Subject() string { return m.subject }
func (m heldMessage) Data() []byte    { return m.body }

// A worker is killed before it can write the letter of a unit that it gives up: the message comes again, and until there is a
// letter nothing may say that the unit has ended, or that message would find nothing to do.
func TestAUnitHasNotEndedBeforeItsLetterIsWritten(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	server := &noLetters{JetStream: r.Worker.js}
	r.Worker.js = server
	m, assemble := ingested(t, r.Deps, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(2)}))
	asks := state.Request{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Lane: state.LaneSmall}
	assemble.Ask = asks.Name()
	for _, req := range []state.Request{asks, dropOf("ann", 1)} {
		if err := state.PutJSON(ctx, r.Store, state.RequestKey(req.Owner, req.Drop), req); err != nil {
			t.Fatal(err)
		}
	}
	open := func(owner, drop string) func() bool {
		return func() bool {
			_, open, err := requestOf(ctx, r.Store, owner, drop)
			if err != nil {
				t.Error(err)
			}
			return open
		}
	}
	shard := state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Import: state.Digest("i")[:32], Shard: state.Digest("s")[:32], Lane: state.LaneSmall}
	for _, c := range []struct {
		stage
		task
		open func() bool
	}{
		{stage{telemetry.StageIngest, r.ingest, r.giveUpIngest, r.endIngest}, dropOf("ann", 1), open("ann", dropOf("ann", 1).Drop)},
		{stage{telemetry.StageExtract, r.extract, r.giveUpExtract, r.endExtract}, shard, func() bool {
			there, err := state.Exists(ctx, r.Store, state.MarkerKey(shard.Owner, shard.Import, shard.Shard))
			if err != nil {
				t.Error(err)
			}
			return !there
		}},
		{stage{telemetry.StageAssemble, r.assemble, r.giveUpAssemble, r.endAssemble}, assemble, open("me", m.Drop)},
	} {
		t.Run(c.name, func(t *testing.T) {
			body, err := json.Marshal(c.task)
			if err != nil {
				t.Fatal(err)
			}
			msg := heldMessage{subject: c.Subject(), body: body}
			server.shut = true
			if err := r.bury(ctx, c.stage, msg, fault.Permanentf("", "broken"), 1); err == nil {
				t.Fatal("a letter that was not stored is taken for one")
			}
			if !c.open() {
				t.Error("it has ended without a letter")
			}
			server.shut = false
			if err := r.bury(ctx, c.stage, msg, fault.Permanentf("", "broken"), 1); err != nil {
				t.Fatal(err)
			}
			if c.open() {
				t.Error("it has a letter and has not ended")
			}
			s, err := r.Worker.js.Stream(ctx, StreamDLQ)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := s.GetLastMsgForSubject(ctx, letterSubject(c.name, msg.subject, body)); err != nil {
				t.Errorf("its letter: %v", err)
			}
		})
	}
}

// Who gives a shard up that another worker did meanwhile leaves no letter: there is nothing to try again.
func TestNoLetterForAShardThatWasDone(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	shard := state.ExtractTask{V: state.MessageVersion, Owner: "me", Drop: state.Digest("d"), Import: state.Digest("i")[:32], Shard: state.Digest("s")[:32], Lane: state.LaneSmall}
	if err := state.PutJSON(ctx, r.Store, state.MarkerKey(shard.Owner, shard.Import, shard.Shard), state.Marker{V: 1, Shard: shard.Shard, State: state.MarkerOK}); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(shard)
	if err != nil {
		t.Fatal(err)
	}
	st := stage{telemetry.StageExtract, r.extract, r.giveUpExtract, r.endExtract}
	if err := r.bury(ctx, st, heldMessage{subject: shard.Subject(), body: body}, errCut, 3); err != nil {
		t.Fatal(err)
	}
	s, err := r.Worker.js.Stream(ctx, StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	if n := s.CachedInfo().State.Msgs; n != 0 {
		t.Errorf("%d letters", n)
	}
}

// The receipt says "failed", and the worker is killed before the letter: a pass must not end the request then, for the message
// that comes again would find nothing to do.
func TestReconcileLeavesAFailedImportToItsMessage(t *testing.T) {
	r := newRig(t)
	ctx := t.Context()
	m, assemble := ingested(t, r.Deps, "me", zipOf(t, map[string]string{"conversations.json": manyConversations(2)}))
	asks := state.Request{V: state.MessageVersion, Owner: "me", Drop: m.Drop, Lane: state.LaneSmall}
	assemble.Ask = asks.Name()
	if err := state.PutJSON(ctx, r.Store, state.RequestKey("me", m.Drop), asks); err != nil {
		t.Fatal(err)
	}
	if err := r.publish(ctx, assemble); err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(assemble)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.giveUpAssemble(ctx, body, errCut); err != nil {
		t.Fatal(err)
	}
	for _, queued := range []bool{true, false} {
		if !queued {
			purge(t, r.Worker.js, StreamAssemble)
		}
		if _, err := Reconcile(ctx, r.Deps, r.Worker.js); err != nil {
			t.Fatal(err)
		}
		if _, open, err := requestOf(ctx, r.Store, "me", m.Drop); err != nil || open != queued {
			t.Errorf("a message is queued %v: the request is open %v (%v)", queued, open, err)
		}
	}
}

// A stream of letters that somebody has bounded refuses new letters when it is full, and takes one in the place of its older
// self all the same: no letter makes room for another.
func TestAFullStreamOfLettersLosesNone(t *testing.T) {
	js := broker(t)
	ctx := t.Context()
	s, err := js.Stream(ctx, StreamDLQ)
	if err != nil {
		t.Fatal(err)
	}
	first := "pam.dlq." + telemetry.StageIngest + ".me." + state.Digest("1")
	if err := send(ctx, js, first, []byte(`{"v":1}`)); err != nil {
		t.Fatal(err)
	}
	info, err := s.Info(ctx)
	if err != nil {
		t.Fatal(err)
	}
	config := info.Config
	config.MaxBytes = int64(info.State.Bytes) + 1
	if _, err := js.UpdateStream(ctx, config); err != nil {
		t.Fatal(err)
	}
	if err := send(ctx, js, "pam.dlq."+telemetry.StageIngest+".me."+state.Digest("2"), []byte(`{"v":1}`)); fault.Of(err) != fault.Outage {
		t.Errorf("a letter for which there is no room: %v", err)
	}
	if err := send(ctx, js, first, []byte(`{"v":2}`)); err != nil {
		t.Errorf("the same unit once more: %v", err)
	}
	got, err := s.GetLastMsgForSubject(ctx, first)
	if err != nil || string(got.Data) != `{"v":2}` {
		t.Errorf("the first letter is %v, %v", got, err)
	}
}
