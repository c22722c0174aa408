package deploy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/pipeline/dispatch"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/queue"
)

type natsUser struct {
	NKey        string `json:"nkey"`
	Permissions struct {
		Publish   []string `json:"publish"`
		Subscribe []string `json:"subscribe"`
	} `json:"permissions"`
}

// natsUsers are the values files for NATS' chart, with the user that each lets in.
func natsUsers(t *testing.T) map[string]natsUser {
	t.Helper()
	out := map[string]natsUser{}
	for _, name := range []string{"small", "cluster"} {
		values := document(t, "kubernetes/nats/"+name+".yaml")
		users := decode[[]natsUser](t, at(values, "config", "merge", "authorization", "users"))
		if len(users) != 1 {
			t.Fatalf("%s: %d users", name, len(users))
		}
		out[name] = users[0]
	}
	return out
}

func TestNATSOnKubernetesIsSafe(t *testing.T) {
	for _, name := range []string{"small", "cluster"} {
		values := document(t, "kubernetes/nats/"+name+".yaml")
		if at(values, "config", "jetstream", "merge", "sync_interval") != "always" || at(values, "config", "nats", "tls", "enabled") != true {
			t.Errorf("%s: not every write is synced, or clients speak plainly", name)
		}
		// Else the namespace, whose pod security is restricted, takes no pod of it.
		if at(values, "podTemplate", "merge", "spec", "securityContext", "runAsNonRoot") != true {
			t.Errorf("%s: NATS may run as root", name)
		}
		for _, c := range []string{"container", "reloader", "promExporter"} {
			if on := at(values, c, "enabled"); (c != "promExporter" || on == true) && at(values, c, "merge", "securityContext", "allowPrivilegeEscalation") != false {
				t.Errorf("%s: %s may gain rights", name, c)
			}
		}
		replicas := 1
		if at(values, "config", "cluster", "enabled") == true {
			replicas = at(values, "config", "cluster", "replicas").(int)
		}
		if c := load(t, "kubernetes/overlays/"+name+"/pamline.yaml"); c.NATS.Replicas != replicas {
			t.Errorf("%s: %d copies of each stream on %d servers", name, c.NATS.Replicas, replicas)
		}
	}
}

func TestNATSDoesNotStartWithThePlaceholder(t *testing.T) {
	for name, u := range natsUsers(t) {
		conf, err := json.Marshal(object{"authorization": object{"users": []object{{"nkey": u.NKey}}}})
		if err != nil {
			t.Fatal(err)
		}
		file := t.TempDir() + "/nats.conf"
		write(t, file, string(conf))
		if _, err := server.ProcessConfigFile(file); err == nil || !strings.Contains(err.Error(), "nkey") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestWorkersMayDoWithNATSWhatTheyMust(t *testing.T) {
	for name, u := range natsUsers(t) {
		s := natstest.Server(t, func(o *server.Options) {
			o.DontListen = true
			o.Users = []*server.User{{Username: "worker", Password: "worker", Permissions: &server.Permissions{
				Publish:   &server.SubjectPermission{Allow: u.Permissions.Publish},
				Subscribe: &server.SubjectPermission{Allow: u.Permissions.Subscribe},
			}}}
		})
		refused := make(chan error, 100)
		nc := natstest.Connect(t, "", nats.InProcessServer(s), nats.UserInfo("worker", "worker"),
			nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err }))
		if err := work(t, natstest.JetStream(t, nc)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		nc.Close()
		s.Shutdown()
		s.WaitForShutdown()
		close(refused)
		for err := range refused {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// work does once what workers do all the time.
func work(t *testing.T, js jetstream.JetStream) error {
	ctx := t.Context()
	if err := queue.Ensure(ctx, js, dispatch.Topology(dispatch.TopologyOptions{})); err != nil {
		return err
	}
	kv, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: "PAM_SCRATCH"})
	if err != nil {
		return err
	}
	if _, err := kv.PutString(ctx, "a.b", "x"); err != nil {
		return err
	}
	if _, err := kv.Get(ctx, "a.b"); err != nil {
		return err
	}
	changes, err := kv.WatchAll(ctx)
	if err != nil {
		return err
	}
	if err := changes.Stop(); err != nil {
		return err
	}
	if _, err := js.Publish(ctx, "pam.ingest.small.me.x.1", []byte("{}")); err != nil {
		return err
	}
	c, err := js.Consumer(ctx, dispatch.StreamIngest, "ingest-small")
	if err != nil {
		return err
	}
	msg, err := c.Next()
	if err != nil {
		return err
	}
	if err := msg.InProgress(); err != nil {
		return err
	}
	return msg.DoubleAck(ctx)
}
