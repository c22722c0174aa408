package main

import (
	"reflect"
	"slices"
	"strings"
)

// wholeGrammar are the commands that look at all others.
var wholeGrammar = []string{"help", "completion", "man"}

// grammarFor gives the commands that a command line may mean: the one that it names, else all. To
// describe all of them to kong takes longer than to read most command lines.
func grammarFor(args []string) any {
	whole := reflect.TypeFor[commands]()
	if len(args) == 0 || slices.Contains(wholeGrammar, args[0]) {
		return new(commands)
	}
	var named bool
	var fields []reflect.StructField
	for i := range whole.NumField() {
		f := whole.Field(i)
		if _, isCommand := f.Tag.Lookup("cmd"); isCommand {
			if strings.ToLower(f.Name) != args[0] {
				continue
			}
			named = true
		}
		fields = append(fields, f)
	}
	if !named {
		return new(commands)
	}
	return reflect.New(reflect.StructOf(fields)).Interface()
}
