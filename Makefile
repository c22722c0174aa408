# make            what there is to do
# make run        import the sample export and look at the result
# make test       every test
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help

GO       ?= go
VERSION  ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)
LDFLAGS  := -s -w -X main.version=$(VERSION)
BINARIES := pamline ingest extract assemble
LINT     := bin/golangci-lint
VULN     := bin/govulncheck
FUZZTIME ?= 50000x
OUT      ?= pam-out
SEED     ?= 1
RUNS     ?= 1
SCENARIO ?= mixed
TESTFLAGS ?=
TARGETS  ?=
# The compiled tables of the extractors, which the programs embed (extract/frozen).
CROSS    ?= windows/amd64 darwin/arm64
FROZEN   := extract/frozen/tables/all.bin

.PHONY: help run test build bench screenshots hostile drops lint vuln fuzz e2e chaos forget encrypted plain score release interop conformance first-steps cross clean

help: ## this list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / {printf "  make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## import examples/sample-export into ./pam-out and show what came of it
	@bin/pamline import --data $(OUT)/data --set encryption.key_file=$(OUT)/master.key --owner sample --out $(OUT)/bundle examples/sample-export
	@echo
	@bin/pamline inspect $(OUT)/bundle
	@echo
	@bin/pamline validate $(OUT)/bundle

test: $(FROZEN) ## every test
	$(GO) test -tags frozen $(TESTFLAGS) ./...

build: $(FROZEN) ## bin/pamline and the three workers
	@mkdir -p bin
	@$(GO) build -tags frozen -ldflags '$(LDFLAGS)' -o bin/ $(BINARIES:%=./cmd/%)

$(FROZEN): go.mod tools/freezetables/main.go $(shell find extract -name '*.go' -o -name '*.yaml')
	@$(GO) run ./tools/freezetables $(@D)

bench: build ## every benchmark, with MB/s and B/op, and whole imports beside what the disk allows
	$(GO) run ./tools/benchimport
	$(GO) run ./tools/benchsearch
	$(GO) run ./tools/benchstore
	$(GO) test -run '^$$' -bench . -benchmem ./... | grep -v '^ok\|no test files'

screenshots: build ## pictures of the web page into docs/page; needs chromium
	./tools/screenshots.sh bin/pamline docs/page

lint: $(LINT) $(FROZEN) ## formatting, vet and the linters, the room rules among them
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo 'run gofmt -w on:'; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet -tags frozen ./...
	$(LINT) run ./...

vuln: $(VULN) ## known vulnerabilities in what is used (asks the vulnerability database)
	$(VULN) ./...

# The tools are built from modules of their own: their dependencies never become the product's.
$(LINT): tools/lint/go.mod tools/lint/go.sum
	$(GO) build -C tools/lint -o ../../$(LINT) github.com/golangci/golangci-lint/v2/cmd/golangci-lint

$(VULN): tools/vuln/go.mod tools/vuln/go.sum
	$(GO) build -C tools/vuln -o ../../$(VULN) golang.org/x/vuln/cmd/govulncheck

fuzz: ## every fuzz target for FUZZTIME (50000x: so many inputs; or 5m) each
	@GO='$(GO)' .ci/fuzz $(FUZZTIME)

e2e: build ## the sample export through the real binaries: imported twice, killed and resumed, restored
	.ci/e2e

chaos: build ## RUNS=1 runs from SEED=1 on with things going wrong, compared with undisturbed ones (SCENARIO=mixed or cluster)
	$(GO) run ./tools/chaos -seed $(SEED) -runs $(RUNS) -scenario $(SCENARIO)

drops: build ## thirty exports of one owner into a running service: its memory, goroutines, open files and data folder
	$(GO) run ./tools/benchdrops

hostile: ## import the hostile inputs of docs/limits.md in full size, each within a gigabyte
	HOSTILE_INPUTS=full $(GO) test ./cmd/pamline -run HostileInputs -v -timeout 120m

forget: ## 200 erasures that are killed at any write, and then finished: nothing erased is left anywhere
	go test ./pipeline/erase -run Killed -kills 200
	go test ./pipeline/erase -run Killed -kills 200 -encrypted
	go test ./cmd/pamline -run Forgotten -forgets 20 -timeout 60m

encrypted: ## the tests of the job record, the stages and the workers on encrypted stores, damage included
	$(GO) test ./pipeline/job ./pipeline/work ./pipeline/ingest ./pipeline/publish ./pipeline/check ./pipeline/replay ./pipeline/prune ./pipeline/erase -timeout 60m -encrypted

plain: ## the scripts of the commands on data folders that are not encrypted
	go test ./cmd/pamline -run 'TestScripts' -plain

score: build ## how well memories are found, on annotated conversations in ../shared/eval (needs python3)
	tools/score

cross: ## compile every command for the other systems of a release (CROSS=windows/amd64 for one)
	@for t in $(CROSS); do echo "$$t"; export GOOS=$${t%/*} GOARCH=$${t#*/} CGO_ENABLED=0; \
		$(GO) list -export ./cmd/... >/dev/null && $(GO) build -o /dev/null ./cmd/pamline || exit 1; done

release: $(FROZEN) ## everything of a release into ./dist: archives, packages, image, formula, SBOMs, checksums (TARGETS=linux/amd64,… for some)
	@mkdir -p bin && $(GO) build -C tools/release -o ../../bin/release .
	@rm -rf dist
	bin/release -version '$(VERSION)' -targets '$(TARGETS)'

interop: build ## exchange data with programs from PyPI: portable-ai-memory, portable-memory, an MCP client (needs python3 and a package index)
	@tools/interop/run bin/pamline

conformance: ## run the tests of docs/conformance.md and write it again
	@$(GO) run ./tools/conformance > docs/conformance.md.new; s=$$?; mv docs/conformance.md.new docs/conformance.md; exit $$s

first-steps: build ## record docs/first-steps.md again
	.ci/first-steps > docs/first-steps.md

clean: ## remove what the targets above made
	rm -rf bin dist extract/frozen/tables $(OUT) coverage.out
