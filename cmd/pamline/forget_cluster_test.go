package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/pamline/pamline/blob"
	"github.com/pamline/pamline/blob/blobtest/gateway"
	"github.com/pamline/pamline/blob/s3"
	"github.com/pamline/pamline/pipeline/natstest"
	"github.com/pamline/pamline/pipeline/objects"
)

// forgetCluster is a bucket that keeps versions and tells NATS of uploads, a NATS server with its
// queues on the disk, a worker of each stage as a process, and a person who uses all that.
type forgetCluster struct {
	*person
	store    blob.Store
	client   *awss3.Client
	bucket   gateway.Config
	versions string
	queues   string
	nats     *server.Server
	workers  map[string]*exec.Cmd
}

func newForgetCluster(t *testing.T) *forgetCluster {
	t.Helper()
	c := &forgetCluster{versions: t.TempDir(), queues: t.TempDir(), workers: map[string]*exec.Cmd{}}
	c.nats = natstest.Server(t, func(o *server.Options) { o.StoreDir = c.queues })
	c.bucket = gateway.Start(t, gateway.WithEvents(c.nats.ClientURL(), "pam.events"), gateway.WithVersions(c.versions))
	cfg := c.bucket
	c.client = awss3.New(awss3.Options{BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, "")})
	_, err := c.client.PutBucketVersioning(t.Context(), &awss3.PutBucketVersioningInput{Bucket: &cfg.Bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	if err != nil {
		t.Fatal(err)
	}
	c.store, err = s3.Open(t.Context(), s3.Options{Bucket: cfg.Bucket, Endpoint: cfg.Endpoint, Region: cfg.Region, PathStyle: true,
		AccessKey: cfg.AccessKey, SecretKey: cfg.SecretKey})
	if err != nil {
		t.Fatal(err)
	}
	c.person = newHome(t, "--set", "nats.url="+c.nats.ClientURL(), "--set", "store.kind=s3", "--set", "store.s3.endpoint="+cfg.Endpoint, "--set", "store.s3.region="+cfg.Region,
		"--set", "store.s3.bucket="+cfg.Bucket, "--set", "store.s3.path_style=true", "--set", "store.s3.access_key_id="+cfg.AccessKey, "--set", "store.s3.secret_access_key="+cfg.SecretKey,
		"--set", "nats.ack_wait=2s", "--set", "drop.scan=1s", "--set", "retry.first_delay=50ms", "--set", "extract.extractors=harvest,rules,llm")
	for _, stage := range []string{"ingest", "extract", "assemble"} {
		c.start(stage)
	}
	t.Cleanup(func() {
		for stage := range c.workers {
			c.stop(stage)
		}
	})
	c.fillQueues()
	return c
}

// fillQueues puts a message that nobody takes into the queue of uploads: a server drops the files
// of a queue that becomes empty, which those of a busy cluster never do.
func (c *forgetCluster) fillQueues() {
	c.Helper()
	js := natstest.JetStream(c, natstest.Connect(c, c.nats.ClientURL()))
	for {
		_, err := js.Publish(c.Context(), "pam.take.kept.nobody.first", nil)
		if err == nil {
			return
		}
		if !errors.Is(err, jetstream.ErrNoStreamResponse) { // no worker has made it yet
			c.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// start starts the worker of a stage. All that it writes to its log counts.
func (c *forgetCluster) start(stage string) {
	c.Helper()
	log, err := os.OpenFile(c.path("logs", stage), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		c.Fatal(err)
	}
	w := exec.Command(stage, append([]string{"--set", "http.addr=127.0.0.1:0"}, c.sets...)...)
	w.Env = append(os.Environ(), "HOME="+c.home, "TMPDIR="+c.path("tmp"), "XDG_CONFIG_HOME="+c.path("config"), "XDG_CACHE_HOME="+c.path("cache"))
	w.Stdout, w.Stderr = log, log
	if err := w.Start(); err != nil {
		c.Fatal(err)
	}
	if err := log.Close(); err != nil {
		c.Fatal(err)
	}
	c.workers[stage] = w
}

// stop kills the worker of a stage.
func (c *forgetCluster) stop(stage string) {
	_ = c.workers[stage].Process.Kill()
	_ = c.workers[stage].Wait() // it was killed
}

// upload puts a file into the inbox of an owner under its own name, and waits for its receipt.
func (c *forgetCluster) upload(owner, name string) {
	c.Helper()
	before := c.count("owners/" + owner + "/receipts/")
	text, err := os.ReadFile(c.path("files", owner+"-"+name))
	if err == nil {
		_, err = c.store.Put(c.Context(), "inbox/"+owner+"/"+name, bytes.NewReader(text), blob.PutOptions{})
	}
	if err != nil {
		c.Fatal(err)
	}
	for c.count("owners/"+owner+"/receipts/") == before {
		time.Sleep(50 * time.Millisecond)
	}
}

func (c *forgetCluster) count(prefix string) (n int) {
	c.Helper()
	for _, err := range c.store.List(c.Context(), prefix) {
		if err != nil {
			c.Fatal(err)
		}
		n++
	}
	return n
}

// seed imports the archives of an owner: one by an upload, the others by the command.
func (c *forgetCluster) seed(owner, mark string) {
	c.Helper()
	c.writeFiles(owner, mark)
	for i, name := range fileNames(mark) {
		if i == 2 {
			c.upload(owner, name)
		} else {
			c.run(owner, "import", c.path("files", owner+"-"+name))
		}
	}
	c.replay(owner)
}

// roots are the folders of everything that programs have written.
func (c *forgetCluster) roots() map[string]string {
	return map[string]string{"bucket": filepath.Join(c.bucket.Folder, c.bucket.Bucket), "versions": c.versions, "queues": c.queues, "home": c.home}
}

// find gives the files of all folders but those of the person that have a word.
func (c *forgetCluster) find(word string) (found []string) {
	c.Helper()
	for what, root := range c.roots() {
		for _, name := range filesWith(c, root, word) {
			if what != "home" || !strings.HasPrefix(name, "files/") {
				found = append(found, what+": "+name)
			}
		}
	}
	return found
}

// digests are those of all current objects of an owner.
func (c *forgetCluster) digests(owner string) map[string]string {
	c.Helper()
	all := map[string]string{}
	root := filepath.Join(c.bucket.Folder, c.bucket.Bucket)
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "/"+owner+"/") {
			return err
		}
		body, err := os.ReadFile(path)
		all[path[len(root):]] = objects.Digest(string(body))
		return err
	})
	if err != nil || len(all) == 0 {
		c.Fatal(err, len(all))
	}
	return all
}

// checkVersions wants no earlier version and no delete marker of anything of an owner: what is
// compressed in an earlier version of a pack, no scan would see.
func (c *forgetCluster) checkVersions(owner string) {
	c.Helper()
	pages := awss3.NewListObjectVersionsPaginator(c.client, &awss3.ListObjectVersionsInput{Bucket: &c.bucket.Bucket})
	for pages.HasMorePages() {
		page, err := pages.NextPage(c.Context())
		if err != nil {
			c.Fatal(err)
		}
		for _, v := range page.Versions {
			// Of the ledger, which has keyed hashes only, the version before its last change is
			// left.
			if !*v.IsLatest && strings.Contains(*v.Key, "/"+owner+"/") && !strings.HasSuffix(*v.Key, "/erasures.json") {
				c.Errorf("an earlier version of %s is left", *v.Key)
			}
		}
		for _, m := range page.DeleteMarkers {
			if strings.Contains(*m.Key, "/"+owner+"/") {
				c.Errorf("the mark of a removed %s is left", *m.Key)
			}
		}
	}
}

const afterErasure = "after the erasure"

// Erasures at each level in a cluster, with kills of the command and of workers. Nothing of what
// was erased is in the objects of the bucket, in their versions, in the files of the queues, in
// scratch and logs; an import of the old archives brings nothing back.
func TestNothingOfWhatIsForgottenIsInACluster(t *testing.T) {
	if testing.Short() {
		t.Skip("short: its work is that of other processes")
	}
	t.Parallel()
	c := newForgetCluster(t)
	owners := map[string]string{"me": "zv", "bea": "yw", "cid": "qt", "dan": "wp", "ann": "xk"}
	if *forgets <= usualForgets {
		delete(owners, "bea")
		delete(owners, "dan")
	}
	for owner, mark := range owners {
		c.seed(owner, mark)
	}
	if found := c.find("qzv4burg"); len(found) < 10 {
		t.Fatalf("before the erasure only %q have the word: the scan can find nothing", found)
	}
	ann := c.digests("ann")
	random := rand.New(rand.NewPCG(uint64(*forgets), 7))
	erased := map[string]forgetting{}
	for i, owner := range []string{"me", "bea", "cid", "dan"} {
		f := forgettings[i]
		if owners[owner] == "" {
			continue
		}
		erased[owner] = f
		args := append([]string{"erase", "--yes"}, f.args(c.person, owner, owners[owner])...)
		for range random.IntN(3) {
			cmd := c.command(owner, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Duration(random.IntN(1500)) * time.Millisecond)
			stage := []string{"ingest", "extract", "assemble"}[random.IntN(3)]
			c.stop(stage)
			_ = cmd.Process.Kill() // it may have ended
			_ = cmd.Wait()
			c.start(stage)
		}
		c.finish(owner, args...)
		c.check(owner, owners[owner], f, afterErasure)
	}
	for key, digest := range c.digests("ann") {
		if ann[key] != digest {
			t.Errorf("%s was changed", key)
		}
	}
	for owner, f := range erased {
		names := fileNames(owners[owner])
		random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		for _, name := range names {
			cmd := c.command(owner, "import", c.path("files", owner+"-"+name))
			if out, err := cmd.CombinedOutput(); err != nil && cmd.ProcessState.ExitCode() != 3 && cmd.ProcessState.ExitCode() != 1 {
				t.Fatalf("%v: %s", err, out)
			}
		}
		c.check(owner, owners[owner], f, fmt.Sprint("after an import of ", names))
	}
}

// finish repeats an erasure until nobody else holds the owner: a prune or an import that was killed
// with its worker is found to be over after a while.
func (c *forgetCluster) finish(owner string, args ...string) {
	c.Helper()
	for {
		out, err := c.command(owner, args...).CombinedOutput()
		switch text := string(out); {
		case err == nil, strings.Contains(text, "has nothing of that id"):
			return
		case !strings.Contains(text, "imports of the owner have not ended"):
			c.Fatalf("%v: %s", err, out)
		}
		time.Sleep(200 * time.Millisecond)
	}
}

// check scans everything for what was erased, and wants what was not.
func (c *forgetCluster) check(owner, mark string, f forgetting, when string) {
	c.Helper()
	for _, n := range f.gone {
		if found := c.find(fmt.Sprintf("q%s%dburg", mark, n)); len(found) > 0 {
			c.Errorf("%s, %s: %d is in %q", f.name, when, n, found)
		}
	}
	if when == afterErasure {
		c.checkVersions(owner)
	}
	if len(f.kept) == 0 {
		return
	}
	store := c.run(owner, "memories", "--limit", "0")
	for _, n := range f.kept {
		if !strings.Contains(store, fmt.Sprintf("Q%s%dburg", mark, n)) {
			c.Errorf("%s, %s: %d has gone, too: %s", f.name, when, n, store)
		}
	}
}
