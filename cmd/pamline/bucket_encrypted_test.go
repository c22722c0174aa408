package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/credentials"
	awss3 "github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/aws-sdk-go-v2/service/s3/types"

	"github.com/pamline/pamline/blob/blobtest/gateway"
)

// encryptedTalks are two conversations with a planted word each.
const encryptedTalks = `[{"conversation_id":"c-1","title":"About Quorntown","create_time":1700000000,"update_time":1700000100,"mapping":{"a":{"id":"a","message":{"id":"a",` +
	`"author":{"role":"user"},"create_time":1700000001,"content":{"content_type":"text","parts":["I live in Quorntown."]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"},` +
	`{"conversation_id":"c-2","title":"About Elmville","create_time":1700000300,"update_time":1700000400,"mapping":{"a":{"id":"a","message":{"id":"a",` +
	`"author":{"role":"user"},"create_time":1700000301,"content":{"content_type":"text","parts":["My sister lives in Elmville."]},"metadata":{}},"parent":null,"children":[]}},"current_node":"a"}]`

// bucketSettings are those of a store in the bucket of a test server.
func bucketSettings(cfg gateway.Config) string {
	return "store:\n  kind: s3\n  s3:\n    bucket: " + cfg.Bucket + "\n    endpoint: " + cfg.Endpoint +
		"\n    path_style: true\n    access_key_id: " + cfg.AccessKey + "\n    secret_access_key: " + cfg.SecretKey + "\n"
}

// A new bucket whose key is named is encrypted: nothing of what people said lies in it, and
// importing, reading, erasing, pruning and checking work as in a data folder.
func TestABucketIsEncryptedWithTheKeyThatIsNamed(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("with -short: it is about what commands say and leave, and other tests run the same code")
	}
	cfg := gateway.Start(t)
	folder := t.TempDir()
	at := func(name string) string { return filepath.Join(folder, name) }
	for name, text := range map[string]string{
		"pamline.yaml": bucketSettings(cfg) + "encryption:\n  key_file: " + at("master.key") + "\n", "talks.json": encryptedTalks,
	} {
		if err := os.WriteFile(at(name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(want int, args ...string) string {
		t.Helper()
		return pamlineRuns(t, want, append(args, "--config", at("pamline.yaml"), "--data", at("data"))...)
	}
	hidden := func(words ...string) {
		t.Helper()
		for _, root := range []string{filepath.Join(cfg.Folder, cfg.Bucket), at("data")} {
			for _, word := range words {
				where, files, err := searchBytes(root, word)
				if err != nil || files == 0 || where != "" {
					t.Errorf("%s in %d files of %s: found in %q, %v", word, files, root, where, err)
				}
			}
		}
	}
	run(0, "key", "create")
	says(t, run(0, "import", "--owner", "me", at("talks.json")), "encrypted +with the master key in .*master.key")
	hidden("Quorntown", "Elmville", "talks.json", "conversation_id")
	says(t, run(0, "memories", "--owner", "me"), "Quorntown")
	says(t, run(0, "search", "--owner", "me", "Elmville"), "sister")

	run(0, "edit", "--owner", "me", "--add", "Plays the Wexham oboe.", "--type", "skill")
	run(0, "erase", "--owner", "me", "--conversation", "a6f65b27", "--yes")
	run(0, "prune")
	out := run(0, "memories", "--owner", "me")
	says(t, out, "Elmville")
	says(t, out, "Wexham")
	run(0, "import", "--owner", "me", at("talks.json"))
	if out := run(0, "memories", "--owner", "me"); strings.Contains(out, "Quorntown") {
		t.Errorf("the old archive brought back what was erased:\n%s", out)
	}
	says(t, run(0, "fsck"), "^me: .*sound$")
	run(0, "export", "--owner", "me", "-o", at("out"))
	pamlineRuns(t, 0, "validate", "--strict", at("out"))
	hidden("Quorntown", "Elmville", "Wexham", "talks.json")

	if err := os.Rename(at("master.key"), at("hidden.key")); err != nil {
		t.Fatal(err)
	}
	run(1, "memories", "--owner", "me")
}

// In a bucket that keeps versions, an erasure removes earlier versions too. The bucket is not
// encrypted, so that its bytes tell.
func TestAnErasureReachesEarlierVersions(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("with -short: it is about what commands say and leave, and other tests run the same code")
	}
	versions := t.TempDir()
	cfg := gateway.Start(t, gateway.WithVersions(versions))
	client := awss3.New(awss3.Options{BaseEndpoint: &cfg.Endpoint, Region: cfg.Region, UsePathStyle: true,
		Credentials: credentials.NewStaticCredentialsProvider(cfg.AccessKey, cfg.SecretKey, "")})
	_, err := client.PutBucketVersioning(t.Context(), &awss3.PutBucketVersioningInput{Bucket: &cfg.Bucket,
		VersioningConfiguration: &types.VersioningConfiguration{Status: types.BucketVersioningStatusEnabled}})
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	settings, talks := filepath.Join(folder, "pamline.yaml"), filepath.Join(folder, "talks.json")
	for name, text := range map[string]string{settings: bucketSettings(cfg), talks: encryptedTalks} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	run := func(args ...string) string {
		t.Helper()
		return pamlineRuns(t, 0, append(args, "--config", settings, "--data", filepath.Join(folder, "data"), "--owner", "me")...)
	}
	run("import", talks)
	for _, instrument := range []string{"oboe", "cello", "harp"} { // each replaces the store and prunes, so that there are versions of it
		run("edit", "--add", "Plays the Wexham "+instrument+".", "--type", "skill")
	}
	listed := func(prefix string) (keys []string) {
		t.Helper()
		page, err := client.ListObjectsV2(t.Context(), &awss3.ListObjectsV2Input{Bucket: &cfg.Bucket, Prefix: &prefix})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range page.Contents {
			keys = append(keys, *o.Key)
		}
		return keys
	}
	if exports := listed("owners/me/moments/"); len(exports) != 1 {
		t.Errorf("after three prunes there are %q", exports)
	}
	found := func(word string) (all []string) {
		t.Helper()
		for _, root := range []string{filepath.Join(cfg.Folder, cfg.Bucket), versions} {
			where, _, err := searchBytes(root, word)
			if err != nil {
				t.Fatal(err)
			}
			if where != "" {
				all = append(all, where)
			}
		}
		return all
	}
	if where := found("Quorntown"); len(where) != 2 {
		t.Fatalf("the word is not in objects and versions, but in %v", where)
	}
	says(t, run("erase", "--conversation", "a6f65b27", "--yes", "--format", "json"), `"earlier versions": ?[1-9]`)
	if where := found("Quorntown"); len(where) > 0 {
		t.Errorf("what was erased is left in %v", where)
	}
	says(t, run("memories"), "Wexham harp")
	says(t, run("memories"), "Elmville")
	run("edit", "--add", "Plays the Wexham lute.", "--type", "skill")
	run("erase", "--yes")
	if where := append(found("Elmville"), found("Wexham")...); len(where) > 0 {
		t.Errorf("after the erasure of the owner something is left in %v", where)
	}
	all, err := client.ListObjectVersions(t.Context(), &awss3.ListObjectVersionsInput{Bucket: &cfg.Bucket})
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range all.Versions {
		if strings.Contains(*v.Key, "/me") && !strings.HasPrefix(*v.Key, "owners/me/erasures") {
			t.Errorf("after the erasure of the owner %q is left", *v.Key)
		}
	}
	if len(all.DeleteMarkers) > 0 {
		t.Errorf("after the erasure of the owner %d delete markers are left", len(all.DeleteMarkers))
	}
}
