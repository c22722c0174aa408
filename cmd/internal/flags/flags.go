// Package flags gives kong the kinds of values that several commands take. They are checked while
// the command line is read, so that a wrong one is wrong use, and nothing has been touched when it
// is found.
package flags

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/pamline/pamline/config"
)

// Types are the options of a parser that knows them: `type:"path"` and `type:"owner"`.
func Types() []kong.Option {
	registry := kong.NewRegistry().RegisterDefaults()
	path := pathMapper(registry)
	registry.RegisterName("path", path)
	return []kong.Option{kong.NamedMapper("path", path), kong.NamedMapper("owner", kong.MapperFunc(owner))}
}

// pathMapper takes paths as they are typed, so that messages show what the person knows; only ~ is
// replaced. Unlike kong's own it does not take an empty path for the working directory: that is a
// shell variable which is not set. A flag that the environment can give may be empty: there it
// means unset.
func pathMapper(registry *kong.Registry) kong.MapperFunc {
	return func(ctx *kong.DecodeContext, target reflect.Value) error {
		if target.Kind() == reflect.Slice {
			return registry.ForType(target.Type()).Decode(ctx, target)
		}
		var path string
		if err := ctx.Scan.PopValueInto("path", &path); err != nil {
			return err
		}
		switch {
		case path == "~", strings.HasPrefix(path, "~/"):
			home, err := os.UserHomeDir()
			if err != nil {
				return fmt.Errorf("find what ~ stands for: %w", err)
			}
			path = home + path[1:]
		case path != "":
		case len(ctx.Value.Tag.Envs) == 0:
			return errors.New("the path is empty; write a dot for the current directory")
		}
		target.SetString(path)
		return nil
	}
}

func owner(ctx *kong.DecodeContext, target reflect.Value) error {
	var id string
	if err := ctx.Scan.PopValueInto("owner id", &id); err != nil {
		return err
	}
	if !config.ValidOwner(id) {
		return fmt.Errorf("%q is not an owner id: use 1 to 63 characters of a-z, 0-9, _ and -, starting with a letter or digit", id)
	}
	target.SetString(id)
	return nil
}
