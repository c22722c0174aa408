package web

import (
	"reflect"
	"testing"

	"github.com/pamline/pamline/cmd/internal/inspect"
)

func TestOnlyFilesOfTheStoreAreReferredTo(t *testing.T) {
	const at, address = "assets/0a.png", "sediment://file_1"
	text := inspect.Piece{Type: "text", Text: "What is this?"}
	for name, c := range map[string]struct{ pieces, files, wantPieces, wantFiles []inspect.Piece }{
		"an image named twice is shown once": {
			[]inspect.Piece{{Type: "image", Ref: address}, text}, []inspect.Piece{{Type: "image", Name: "beds.png", Ref: at}},
			[]inspect.Piece{text}, []inspect.Piece{{Type: "image", Name: "beds.png", Ref: at}},
		},
		"one of two is missing": {
			[]inspect.Piece{{Type: "image", Ref: address}, {Type: "image", Ref: address}}, []inspect.Piece{{Type: "image", Ref: at}},
			[]inspect.Piece{{Type: "image"}}, []inspect.Piece{{Type: "image", Ref: at}},
		},
		"a file is not the sound that is missing": {
			[]inspect.Piece{{Type: "audio", Ref: address}}, []inspect.Piece{{Type: "image", Ref: at}},
			[]inspect.Piece{{Type: "audio"}}, []inspect.Piece{{Type: "image", Ref: at}},
		},
		"an address is no file": {
			[]inspect.Piece{{Type: "image", Ref: at}}, []inspect.Piece{{Type: "file", Name: "a.pdf", Ref: "https://tracker.example/a.pdf"}, {Type: "file", Ref: "../store"}},
			[]inspect.Piece{{Type: "image", Ref: at}}, []inspect.Piece{{Type: "file", Name: "a.pdf"}, {Type: "file"}},
		},
	} {
		m := inspect.Spoken{Pieces: c.pieces, Files: c.files}
		if showFiles(&m); !reflect.DeepEqual(m.Pieces, c.wantPieces) || !reflect.DeepEqual(m.Files, c.wantFiles) {
			t.Errorf("%s: %+v, %+v", name, m.Pieces, m.Files)
		}
	}
}
