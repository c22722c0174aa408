// Command benchscale measures pamline as a cluster on this machine: worker processes of each kind,
// a NATS server that syncs every write, an S3 server, all on loopback. Drops of many owners are put
// into the bucket at once; it tells how many imports end in a second, what one takes of processor
// time and of requests, how long the queues were, and what memory was needed.
//
//	make build && go run ./tools/benchscale                       1 000 owners, with 1, 2 and 4 workers of each kind
//	go run ./tools/benchscale -owners 200 -workers 2 -big 5GB     a drop of 5 GB, and small ones beside it
//	go run ./tools/benchscale -owners 1 -drops 500 -workers 1     one owner with 500 drops at once
//	go run ./tools/benchscale -archive 6000 -workers 1            one of 6,000 beside a bare client
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"

	"github.com/pamline/pamline/blob/blobtest/toolbin"
	"github.com/pamline/pamline/config"
)

// plan is what is measured.
type plan struct {
	programs      string
	folder        string
	owners, drops int
	conversations int
	workers       []int
	big           int64
	archive       int // conversations of one archive, 0 for none
}

func main() {
	var p plan
	workers := flag.String("workers", "1,2,4", "workers of each kind, one run for each number")
	big := flag.String("big", "0B", "size of a large drop of one more owner; the small ones come when it is being read, and once more without it")
	flag.StringVar(&p.programs, "bin", "bin", "folder of the programs to measure")
	flag.StringVar(&p.folder, "folder", "", "folder for everything; default: a temporary one")
	flag.IntVar(&p.owners, "owners", 1000, "owners")
	flag.IntVar(&p.drops, "drops", 1, "drops of each owner")
	flag.IntVar(&p.conversations, "conversations", 5, "conversations in a drop")
	flag.IntVar(&p.archive, "archive", 0, "measure instead one archive of so many conversations, beside a bare client that puts the same objects")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := p.run(ctx, *workers, *big); err != nil {
		fmt.Fprintln(os.Stderr, "benchscale:", err)
		os.Exit(1)
	}
}

// read takes in the flags that are more than a number, and refuses what cannot be measured.
func (p *plan) read(workers, big string) error {
	var size config.Size
	if err := size.UnmarshalText([]byte(big)); err != nil {
		return fmt.Errorf("read -big: %w", err)
	}
	p.big = int64(size)
	for s := range strings.SplitSeq(workers, ",") {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 {
			return fmt.Errorf("read -workers: %q is not a number of workers: write 2, or 1,2,4", s)
		}
		p.workers = append(p.workers, n)
	}
	for _, f := range []struct {
		name string
		n    int
	}{{"owners", p.owners}, {"drops", p.drops}, {"conversations", p.conversations}} {
		if f.n < 1 {
			return fmt.Errorf("read -%s: there is nothing to measure with %d", f.name, f.n)
		}
	}
	if p.archive < 0 {
		return fmt.Errorf("read -archive: there is nothing to measure with %d", p.archive)
	}
	return nil
}

func (p *plan) run(ctx context.Context, workers, big string) error {
	if err := p.read(workers, big); err != nil {
		return err
	}
	root, err := toolbin.Root()
	if err != nil {
		return err
	}
	if p.archive > 0 {
		return p.besideBare(ctx, root)
	}
	fmt.Printf("%d owners × %d drops × %d conversations\n\n", p.owners, p.drops, p.conversations)
	if p.big > 0 {
		return p.beside(ctx, root)
	}
	printHeader()
	for _, n := range p.workers {
		f, err := p.measure(ctx, root, n, 0)
		if err != nil {
			return err
		}
		fmt.Print(f.row(n))
	}
	return nil
}

// beside measures small drops alone, and beside a large one.
func (p *plan) beside(ctx context.Context, root string) error {
	for _, n := range p.workers {
		for _, big := range []int64{0, p.big} {
			f, err := p.measure(ctx, root, n, big)
			if err != nil {
				return err
			}
			fmt.Print(f.beside(n, big))
		}
	}
	return nil
}
