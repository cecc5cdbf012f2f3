#!/bin/sh
# The service on Deno, or another of its commands: `sh scripts/start-deno.sh doctor`. `deno task` cannot be told
# plainly to run `deno`: it takes the program of that name from node_modules for JavaScript. So the native file that
# `npm ci` unpacked is started, or else the Deno on the path (past the folder that `deno task` puts first).
. scripts/need.sh
deno=node_modules/deno/deno
[ -x "$deno" ] || deno=$(PATH="${PATH##*node_modules/.bin:}" command -v deno) || need "Deno" 'npm ci'
[ -d node_modules/kysely ] || need "what it stands on" 'deno install'
# A parent process that serves no requests starts several processes. Only the parent may start Deno again.
case "$*, PROCESSES=${PROCESSES-}" in *--processes* | *PROCESSES=?*) watch="--allow-run=$deno" ;; *) watch= ;; esac
exec "$deno" run ${watch:+"$watch"} --no-prompt --allow-net --allow-env --allow-read --allow-write --allow-sys=uid,statfs,ca src/main.ts "$@"
