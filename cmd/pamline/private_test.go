package main

import (
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/testscript"
)

// writing is a shell script that has pamline write everywhere it writes, below the folder $0.
const writing = `
set -e
export XDG_CONFIG_HOME="$0/settings" HOME="$0/home" TMPDIR="$0/tmp" XDG_CACHE_HOME="$0/cache"
mkdir -m 0700 "$0/tmp" "$0/deep" "$0/merged" "$0/signed" "$0/other" "$0/rendered" "$0/backup"
pamline import --data "$0/data" --owner me --out "$0/new/out" first.json >/dev/null
pamline import --data "$0/mine" --owner me --out "$0/new/out2" first.json >/dev/null
pamline edit --data "$0/data" --add 'Plays the cello.' --type skill >/dev/null
pamline restore --provider chatgpt -o "$0/back/deep" "$0/new/out" >/dev/null
cat "$0"/new/out/conversations/*.json | tr '\n' ' ' | pamline extract --extractors rules --rejects "$0/rejects" --answers "$0/answers" >"/dev/null"
pamline import --data "$0/data" --dry-run first.json >/dev/null
pamline validate "$0/new/out" >/dev/null
pamline keygen -o "$0/my.key" >/dev/null
pamline sign --key "$0/my.key" "$0/new/out" >/dev/null
pamline export -o "$0/given" "$0/new/out" >/dev/null
pamline export -o "$0/given.zip" "$0/new/out" >/dev/null
pamline export --data "$0/data" --owner me -o "$0/deep/given" >/dev/null
pamline edit --data "$0/data" --add 'Plays the harp.' --type skill >/dev/null
pamline export --data "$0/data" --owner me --since "$0/given" -o "$0/delta" >/dev/null
pamline merge -o "$0/merged/whole" "$0/given" "$0/delta" >/dev/null
pamline sign --key "$0/my.key" -o "$0/signed/store.json" "$0/new/out/memory-store.json" >/dev/null
pamline sign --data "$0/data" --key "$0/my.key" -o "$0/signed.zip" me >/dev/null
pamline convert --to mem -o "$0/other/my.mem" "$0/new/out" >/dev/null
pamline convert --to mif -o "$0/other/my.mif.json" "$0/new/out" >/dev/null
pamline convert --to pam -o "$0/other/pam" "$0/other/my.mem" >/dev/null
pamline render --data "$0/data" --for claude -o "$0/rendered/claude.txt" me >/dev/null
pamline render --data "$0/data" --for obsidian -o "$0/rendered/notes" me >/dev/null
pamline key backup --data "$0/data" "$0/backup/master.key" >/dev/null
pamline key rotate --data "$0/data" --reencrypt >/dev/null
pamline key backup --data "$0/data" "$0/backup/second.key" >/dev/null
rm "$0/settings/pamline/master.key"
pamline key restore --data "$0/data" "$0/backup/second.key" >/dev/null
pamline search --data "$0/data" --owner me Turku >/dev/null
pamline key convert --data "$0/data" --to plain >/dev/null
pamline search --data "$0/data" --owner me Turku >/dev/null
pamline replay --data "$0/data" --owner me --extractors rules >/dev/null
pamline fsck --data "$0/data" --repair >/dev/null
pamline key convert --data "$0/data" >/dev/null
pamline prune --data "$0/data" >/dev/null
pamline import --data "$0/erased" --owner me first.json >/dev/null
pamline erase --data "$0/erased" --owner me --yes >/dev/null
`

// forUmask is the script command `for-umask MASK…`: under each of them it has pamline write, and
// wants every file and folder that it made to be its user's alone. The folder "mine" was made by
// the person, for everybody.
func forUmask(ts *testscript.TestScript, _ bool, args []string) {
	for _, mask := range args {
		root := ts.MkAbs(mask)
		mine := filepath.Join(root, "mine")
		ts.Check(os.MkdirAll(mine, 0o755))
		ts.Check(os.Chmod(mine, 0o777))
		ts.Check(ts.Exec("sh", "-c", "umask "+mask+"\n"+writing, root))
		ts.Check(filepath.WalkDir(root, func(path string, e fs.DirEntry, err error) error {
			if err != nil || path == root || path == mine || path == filepath.Join(root, "tmp") {
				return err
			}
			info, err := e.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				ts.Logf("umask %s: %s has mode %v", mask, path, info.Mode())
				err = fs.ErrPermission
			}
			return err
		}))
		for _, made := range []string{"new/out/memory-store.json", "back/deep/conversations.json", "rejects", "data/store", "mine/store", "my.key", "given/memory-store.json", "given.zip",
			"deep/given/memory-store.json", "merged/whole/memory-store.json", "signed/store.json", "signed.zip", "other/my.mem", "other/my.mif.json", "other/pam/memory-store.json",
			"rendered/claude.txt", "rendered/notes", "backup/master.key", "backup/second.key", "settings/pamline/master.key", "erased/store/owners/me/erasures.json"} {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(made)))
			ts.Check(err)
		}
	}
}
