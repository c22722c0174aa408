// Command ingest is the ingest worker of pamline.
package main

import (
	"os"

	"github.com/pamline/pamline/cmd/internal/worker"
	"github.com/pamline/pamline/pipeline/telemetry"
)

// version is set when a release is linked.
var version = ""

func main() { os.Exit(worker.Main(telemetry.StageIngest, version, os.Args[1:], os.Stderr)) }
