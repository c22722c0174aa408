package pamio_test

import (
	"bytes"
	"fmt"
	"time"

	"github.com/pamline/pamline/pamio"
)

// A store is written element by element: a million memories take no more memory than one.
func ExampleWriteStore() {
	var spool, out bytes.Buffer // scratch files, usually
	memories := pamio.NewSection(&spool)
	for _, content := range []string{"Does not eat walnuts", "Likes green tea"} {
		m := pamio.Memory{
			ID: fmt.Sprintf("m-%d", memories.Count()), Type: "preference", Content: content, ContentHash: pamio.ContentHash(content),
			Temporal:   pamio.Temporal{CreatedAt: pamio.FormatTime(time.Unix(1767225600, 0))},
			Provenance: pamio.Provenance{Platform: "manual"},
		}
		text, err := m.AppendCanonical(nil)
		if err == nil {
			err = memories.AddOrdered(m.ID, text)
		}
		if err != nil {
			fmt.Println(err)
			return
		}
	}
	header := pamio.Header{Owner: pamio.Owner{ID: "ada"}}
	if err := pamio.WriteStore(&out, header, &spool, nil, nil, memories.Integrity(), nil); err != nil {
		fmt.Println(err)
		return
	}

	var sum pamio.Checksummer
	err := pamio.ReadStore(&out, pamio.Visitor{
		Memory: func(e pamio.Element) error {
			m, err := pamio.ParseMemory(e.Raw)
			if err != nil {
				return err
			}
			fmt.Println(e.Pointer, m.Content)
			return sum.Add(m.ID, e.Raw)
		},
		Scalars: func(s *pamio.Scalars) error {
			fmt.Println("intact:", *s.Integrity == sum.Integrity())
			return nil
		},
	})
	if err != nil {
		fmt.Println(err)
	}
	// Output:
	// /memories/0 Does not eat walnuts
	// /memories/1 Likes green tea
	// intact: true
}
