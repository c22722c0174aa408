package deploy_test

import (
	"maps"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"

	"github.com/pamline/pamline/pipeline/telemetry"
)

type composeFile struct {
	Services map[string]composeService `json:"services"`
	Secrets  map[string]struct {
		File string `json:"file"`
	} `json:"secrets"`
	Networks map[string]struct {
		Internal bool `json:"internal"`
	} `json:"networks"`
	Volumes map[string]any `json:"volumes"`
}

type composeService struct {
	Image       string            `json:"image"`
	Entrypoint  []string          `json:"entrypoint"`
	Command     []string          `json:"command"`
	Environment map[string]string `json:"environment"`
	Volumes     []string          `json:"volumes"`
	Secrets     []string          `json:"secrets"`
	Networks    []string          `json:"networks"`
	Ports       []string          `json:"ports"`
	DependsOn   map[string]struct {
		Condition string `json:"condition"`
	} `json:"depends_on"`
	Healthcheck *struct {
		Test []string `json:"test"`
	} `json:"healthcheck"`
	ReadOnly  bool     `json:"read_only"`
	CapDrop   []string `json:"cap_drop"`
	StopGrace string   `json:"stop_grace_period"`
}

func compose(t *testing.T) composeFile {
	t.Helper()
	return decode[composeFile](t, document(t, "compose/compose.yaml"))
}

func TestComposeNamesWhatIsThere(t *testing.T) {
	c := compose(t)
	for name, s := range c.Services {
		for _, v := range s.Volumes {
			from, _, _ := strings.Cut(v, ":")
			if _, named := c.Volumes[from]; named {
				continue
			}
			if _, err := os.Stat(filepath.Join("compose", from)); err != nil {
				t.Errorf("%s mounts what is not there: %v", name, err)
			}
		}
		for _, secret := range s.Secrets {
			if _, ok := c.Secrets[secret]; !ok {
				t.Errorf("%s wants the secret %s that nobody defines", name, secret)
			}
		}
		for _, n := range s.Networks {
			if _, ok := c.Networks[n]; !ok {
				t.Errorf("%s is on the network %s that nobody defines", name, n)
			}
		}
		for other, how := range s.DependsOn {
			o, ok := c.Services[other]
			if !ok || how.Condition == "service_healthy" && o.Healthcheck == nil {
				t.Errorf("%s waits for %s, which never becomes healthy", name, other)
			}
		}
	}
	for secret := range c.Secrets {
		if !strings.Contains(read(t, "compose/init"), secret) {
			t.Errorf("./init does not make the secret %s", secret)
		}
	}
}

func TestComposeIsClosed(t *testing.T) {
	c := compose(t)
	for name, s := range c.Services {
		for _, p := range s.Ports {
			if !strings.HasPrefix(p, "127.0.0.1:") {
				t.Errorf("%s publishes %s beyond loopback", name, p)
			}
		}
		if !s.ReadOnly || !slices.Equal(s.CapDrop, []string{"ALL"}) {
			t.Errorf("%s may write to its image or has capabilities", name)
		}
		if _, tag, ok := strings.Cut(s.Image, ":"); !ok || tag == "latest" {
			t.Errorf("%s: the image %s has no version", name, s.Image)
		}
		for key, value := range s.Environment {
			upper := strings.ToUpper(key)
			if (strings.Contains(upper, "SECRET") || strings.Contains(upper, "PASSWORD")) && !strings.HasPrefix(value, "/run/secrets/") {
				t.Errorf("%s has the secret %s in its environment", name, key)
			}
		}
	}
	// NATS asks for no password here, so its clients' port is for those who are on its network
	// alone.
	if !c.Networks["inside"].Internal || slices.ContainsFunc(c.Services["nats"].Ports, func(p string) bool { return strings.HasSuffix(p, ":4222") }) {
		t.Error("NATS can be reached from outside")
	}
	for name, s := range c.Services {
		if slices.Contains(s.Networks, "door") && name != "nats" && name != "store" {
			t.Errorf("%s is on the network that only publishes ports", name)
		}
	}
}

func TestComposeAgreesWithItsSettings(t *testing.T) {
	c, settings := compose(t), load(t, "compose/config/pamline.yaml")
	for _, at := range []string{settings.NATS.URL, settings.Store.S3.Endpoint} {
		u, err := url.Parse(at)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := c.Services[u.Hostname()]; !ok {
			t.Errorf("there is no service %s for %s", u.Hostname(), at)
		}
	}
	gateway := strings.Join(c.Services["store"].Command, " ")
	if !strings.Contains(gateway, "--event-nats-topic "+settings.Drop.Events) || !strings.Contains(gateway, "--event-nats-url "+settings.NATS.URL) {
		t.Errorf("the bucket publishes its notifications elsewhere than to %s: %s", settings.Drop.Events, gateway)
	}
	setup := read(t, "compose/config/setup.sh")
	if !strings.Contains(setup, "bucket="+settings.Store.S3.Bucket+"\n") || !strings.Contains(setup, "user="+settings.Store.S3.AccessKeyID+"\n") {
		t.Error("setup.sh makes another user or bucket than the settings name")
	}
	_, port, err := net.SplitHostPort(settings.HTTP.Addr)
	if err != nil {
		t.Fatal(err)
	}
	scrape := read(t, "compose/config/prometheus.yaml")
	for _, stage := range []string{telemetry.StageIngest, telemetry.StageExtract, telemetry.StageAssemble} {
		s, ok := c.Services[stage]
		if !ok || !slices.Equal(s.Entrypoint, []string{"/usr/local/bin/" + stage}) {
			t.Errorf("there is no service that runs %s", stage)
		}
		wait, err := time.ParseDuration(s.StopGrace)
		if err != nil {
			t.Fatal(err)
		}
		patience(t, "compose.yaml: "+stage, wait, "compose/config/pamline.yaml")
	}
	if !strings.Contains(scrape, "names: [ingest, extract, assemble], type: A, port: "+port) {
		t.Errorf("Prometheus does not scrape the workers at port %s", port)
	}
}

func TestTheConfigurationOfNATSIsSafe(t *testing.T) {
	o, err := server.ProcessConfigFile("compose/config/nats.conf")
	if err != nil {
		t.Fatal(err)
	}
	if !o.JetStream || !o.SyncAlways || o.Port != 4222 || o.HTTPPort != 8222 || o.StoreDir != "/data" || o.JetStreamMaxStore <= 0 {
		t.Errorf("JetStream %v, sync always %v, ports %d and %d, folder %q, most %d bytes", o.JetStream, o.SyncAlways, o.Port, o.HTTPPort, o.StoreDir, o.JetStreamMaxStore)
	}
	if s := compose(t).Services["nats"]; !slices.Contains(s.Volumes, "nats:"+o.StoreDir) {
		t.Errorf("what NATS keeps in %s does not lie in a volume", o.StoreDir)
	}
}

func TestOnlyNewObjectsAreNotified(t *testing.T) {
	events := decode[map[string]bool](t, document(t, "compose/config/events.json"))
	for _, name := range slices.Sorted(maps.Keys(events)) {
		if on := events[name]; on != strings.HasPrefix(name, "s3:ObjectCreated:") {
			t.Errorf("%s: %v", name, on)
		}
	}
}
