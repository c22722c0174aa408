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
			if err != nil || path == root || path == mine {
				return err
			}
			info, err := e.Info()
			if err == nil && info.Mode().Perm()&0o077 != 0 {
				ts.Logf("umask %s: %s has mode %v", mask, path, info.Mode())
				err = fs.ErrPermission
			}
			return err
		}))
		for _, made := range []string{"new/out/memory-store.json", "back/deep/conversations.json", "rejects", "data/store", "mine/store", "my.key", "given/memory-store.json", "given.zip"} {
			_, err := os.Stat(filepath.Join(root, filepath.FromSlash(made)))
			ts.Check(err)
		}
	}
}
