#!/bin/sh
# The service on Bun, or another of its commands: `sh scripts/start-bun.sh doctor`. The Bun that npm unpacked goes
# before one on the path.
. scripts/need.sh
bun=node_modules/.bin/bun
[ -x "$bun" ] || bun=$(command -v bun) || need "Bun" 'npm ci --omit=dev'
[ -d node_modules/kysely ] || need "what it stands on" 'bun install --production'
exec "$bun" --no-env-file src/main.ts "$@"
