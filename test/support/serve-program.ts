import process from "node:process";
import { serve } from "../../src/runtime/serve.ts";
import { onShutdownSignal } from "../../src/runtime/shutdown-signal.ts";

// Serves in a process of its own, behind a proxy with the argument "proxy", and prints its port.

// The service does this too. Deno panics if it first handles signals when no file descriptor is left.
onShutdownSignal(() => process.exit(0));
const handler = () => Promise.resolve(new Response("served"));
const isBehindProxy = process.argv[2] === "proxy";
const { port } = await serve({ hostname: "127.0.0.1", port: 0, handler, isBehindProxy });
console.log(port);
