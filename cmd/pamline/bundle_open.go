package main

import (
	"errors"

	"github.com/pamline/pamline/cmd/internal/exit"
	"github.com/pamline/pamline/cmd/internal/inspect"
	"github.com/pamline/pamline/pamio"
)

// openBundle opens a bundle for a command that reads more than one conversation.
func openBundle(path string) (*pamio.Bundle, error) {
	b, conversation, err := inspect.Open(path)
	if err == nil && conversation != nil {
		err = exit.With(exit.Usage, errors.New("open bundle: "+path+" is a conversation file: give the bundle that it belongs to"))
	}
	return b, err
}
