package probe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/queue"
)

// smallestPayload is the least that a message must be allowed to have, in bytes: references and the
// reasons of a failure.
const smallestPayload = 64 << 10

// Broker tries the message server. id makes the names of the scratch stream and bucket.
func Broker(o queue.ConnectOptions, t queue.Topology, id string, now func() time.Time) Part {
	return Part{Name: "nats", Run: func(ctx context.Context, say *Say) {
		if o.URL == "" {
			say.OK("message server", "inside the process: there is nothing to reach")
			return
		}
		nc, err := queue.Connect(ctx, o)
		if !say.Try("connect", "", err) {
			return
		}
		defer nc.Close()
		ctx, stop := queue.UntilDenied(ctx, nc)
		defer stop()
		b := &broker{ctx: ctx, say: say, nc: nc, now: now, id: strings.ReplaceAll(id, "-", "")}
		b.server()
		if b.js, err = jetstream.New(nc); err != nil {
			say.Fail("open JetStream", err, "")
			return
		}
		if b.account() {
			b.topology(t)
			b.queue()
			b.expiry()
		}
		say.Note("sync_interval of the server", "cannot be asked: have it set to always, or what was acknowledged in the last two minutes is lost with the power (the next pass would send it again)")
	}}
}

type broker struct {
	ctx context.Context
	say *Say
	nc  *nats.Conn
	js  jetstream.JetStream
	now func() time.Time
	id  string
}

// try is Say.Try with what to do about an error of NATS.
func (b *broker) try(what string, err error) bool {
	return b.say.Try(what, "", queue.Explain(b.ctx, err))
}

func (b *broker) server() {
	b.say.Note("server", fmt.Sprintf("%s, version %s, cluster %q", b.nc.ConnectedUrlRedacted(), b.nc.ConnectedServerVersion(), b.nc.ConnectedClusterName()))
	if _, err := b.nc.TLSConnectionState(); err != nil && !isLoopback(b.nc.ConnectedUrlRedacted()) {
		b.say.Warn("encryption on the way", "the connection is not encrypted: names of owners and imports cross the network in the clear", "set up TLS on the server and use tls:// in nats.url")
	}
	if n := b.nc.MaxPayload(); n < smallestPayload {
		b.say.Fail("largest message", fmt.Errorf("the server takes %d bytes and pamline needs %d", n, smallestPayload), "raise max_payload of the server; its default is 1 MiB")
		return
	}
	b.say.OK("largest message", fmt.Sprintf("%d bytes", b.nc.MaxPayload()))
}

// local: the address is one of this machine.
func isLoopback(url string) bool {
	_, rest, _ := strings.Cut(url, "://")
	host, _, err := net.SplitHostPort(rest)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// account asks whether JetStream may be used, and how much of it is left.
func (b *broker) account() bool {
	info, err := b.js.AccountInfo(b.ctx)
	if !b.try("ask JetStream", err) {
		return false
	}
	tier := info.Tier
	show := func(used uint64, limit int64, unit string) string {
		if limit <= 0 {
			return fmt.Sprintf("%d%s, no limit", used, unit)
		}
		return fmt.Sprintf("%d of %d%s", used, limit, unit)
	}
	b.say.Note("limits of the account", fmt.Sprintf("file storage %s; streams %s; consumers %s", show(tier.Store, tier.Limits.MaxStore, " bytes"),
		show(uint64(max(tier.Streams, 0)), int64(tier.Limits.MaxStreams), ""), show(uint64(max(tier.Consumers, 0)), int64(tier.Limits.MaxConsumers), "")))
	if limit := tier.Limits.MaxStore; limit > 0 && tier.Store > uint64(limit)/10*9 {
		b.say.Warn("room for messages", fmt.Sprintf("%d of %d bytes are used", tier.Store, limit), "raise the account's limit: a full stream holds all work up")
	}
	return true
}

// topology compares the streams with what the workers rely on.
func (b *broker) topology(t queue.Topology) {
	const what = "streams, consumers and buckets"
	found, err := queue.Inspect(b.ctx, b.js, t)
	if err != nil {
		b.try(what, err)
		return
	}
	for _, d := range found.Drift {
		b.say.Fail(d.Of, errors.New(d.String()), "")
	}
	switch {
	case len(found.Missing) > 0 && t.Verify:
		b.say.Fail(what, fmt.Errorf("missing, and nats.provision is verify: %s", strings.Join(found.Missing, ", ")), "make them as deploy/ does, or set nats.provision to create for one start")
	case len(found.Missing) > 0:
		b.say.Note(what, "the first worker will make: "+strings.Join(found.Missing, ", "))
	case len(found.Drift) == 0:
		b.say.OK(what, "as they should be")
	}
}
