package extsort_test

import (
	"fmt"
	"log"

	"github.com/pamline/pamline/pamio/extsort"
)

func Example() {
	s := extsort.New("", 16<<20) // 16 MiB in memory, the rest in the system's folder for temporary files
	defer s.Close()
	for _, word := range []string{"pear", "apple", "fig"} {
		if err := s.Add([]byte(word), fmt.Appendf(nil, "%d letters", len(word))); err != nil {
			log.Fatal(err)
		}
	}
	for r, err := range s.Sorted() {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%s: %s\n", r.Key, r.Value)
	}
	// Output:
	// apple: 5 letters
	// fig: 3 letters
	// pear: 4 letters
}
