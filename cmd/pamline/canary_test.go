package main

import (
	"archive/zip"
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pamline/pamline/blob/blobtest/gateway"
)

// canary marks what no log line may hold: texts, titles, names of people's files, names of members,
// keys of JSON.
const canary = "Kanarienvogel"

// secret is a key that must show nowhere at all.
const secret = "Nachtigall"

// A conversation whose every text is marked, and which yields a memory.
const marked = `{"conversation_id":"c-Kanarienvogel","title":"Kanarienvogel","create_time":1700000000,"update_time":1700000100,"Kanarienvogel":"Kanarienvogel","mapping":{` +
	`"a":{"id":"a","message":{"id":"a","author":{"role":"assistant","name":"Kanarienvogel"},"recipient":"bio","create_time":1700000001,` +
	`"content":{"content_type":"text","parts":["User keeps a Kanarienvogel."]},"metadata":{"Kanarienvogel":1}},"parent":null,"children":[]}},"current_node":"a"}`

// zipped is an archive with a good member, and some that are refused for their names or their
// content.
func zipped(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for name, text := range map[string]string{
		"Kanarienvogel/conversations.json": "[" + marked + "]", "../Kanarienvogel.json": "[]", "Kanarienvogel.txt": canary, "user.json": `{"id":"u","email":"Kanarienvogel@example.net"}`,
	} {
		f, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// Personal text and secrets reach the store and the report, but no log line, at the most talkative
// level, whatever comes.
func TestLogsHoldNothingPersonal(t *testing.T) {
	t.Parallel()
	server := gateway.Start(t)
	s3 := func(secret string) []string {
		return []string{
			"--set", "store.kind=s3", "--set", "store.s3.endpoint=" + server.Endpoint, "--set", "store.s3.region=" + server.Region,
			"--set", "store.s3.bucket=" + server.Bucket, "--set", "store.s3.path_style=true",
			"--set", "store.s3.access_key_id=" + server.AccessKey, "--set", "store.s3.secret_access_key=" + secret, "--set", "retry.first_delay=1ms",
		}
	}
	whole := zipped(t)
	for name, c := range map[string]struct {
		text string
		with []string
		code int
	}{
		"good":                  {"[" + marked + "]", nil, 0},
		"good, on S3":           {"[" + marked + "]", s3(server.SecretKey), 0},
		"a wrong secret":        {"[" + marked + "]", s3(secret), 1},
		"hostile names":         {string(whole), nil, 3},
		"cut off":               {string(whole[:len(whole)-40]), nil, 3},
		"one that is not JSON":  {"[" + marked + `,{"Kanarienvogel" "mapping":{}}]`, nil, 3},
		"a limit":               {"[" + marked + `,{"title":"` + strings.Repeat(canary, 200) + `","mapping":{}}]`, []string{"--set", "limits.max_conversation=1KiB"}, 3},
		"no export":             {"Kanarienvogel", nil, 1},
		"somebody else's JSON":  {`{"Kanarienvogel":{"Kanarienvogel":1}}`, nil, 1},
		"an archive of another": {"Rar!\x1a\x07\x01\x00" + canary, nil, 1},
		"empty":                 {"", nil, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := filepath.Join(t.TempDir(), "Kanarienvogel export")
			if err := os.WriteFile(file, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			args := []string{"import", "--data", t.TempDir(), "--owner", "me", "--set", "log.level=debug", "--set", "log.format=json"}
			cmd := exec.Command("pamline", append(append(args, c.with...), file)...)
			var out, logs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &logs
			if err := cmd.Run(); cmd.ProcessState.ExitCode() != c.code {
				t.Errorf("%v, want exit code %d\n%s%s", err, c.code, out.String(), logs.String())
			}
			for line := range strings.Lines(logs.String()) {
				if strings.HasPrefix(line, "{") && strings.Contains(line, canary) {
					t.Errorf("logged: %s", line)
				}
			}
			for _, s := range []string{secret, server.SecretKey} {
				if strings.Contains(out.String()+logs.String(), s) {
					t.Errorf("a secret is shown: %s%s", out.String(), logs.String())
				}
			}
		})
	}
}
