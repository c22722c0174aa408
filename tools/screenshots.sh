#!/bin/sh
# screenshots.sh PAMLINE FOLDER: takes pictures of each page of the sample export.
set -eu
pamline=$1 out=$2
work=$(mktemp -d)
page=
trap 'test -z "$page" || kill "$page"; wait; rm -rf "$work" "$work.key"' EXIT
export PAMLINE_ENCRYPTION__KEY_FILE="$work.key"
"$pamline" import --data "$work" --owner marta examples/sample-export >"$work/import.txt"
"$pamline" open --data "$work" --no-browser >"$work/address" 2>"$work/messages" &
page=$!
while ! test -s "$work/address"; do kill -0 "$page"; sleep 0.1; done
go run ./cmd/internal/web/screenshots -out "$out" "$(cat "$work/address")"
