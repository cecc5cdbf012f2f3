import { ProtocolError } from "../lib/error.ts";
import { createAssetFinder, type Script } from "../ui/assets.ts";
import { publicAccess } from "./guard/guard.ts";
import { createCompressor } from "./response/compression.ts";
import type { Services } from "./services.ts";
import { defineEndpoint, type Route, route } from "./route.ts";

/** The path contains a hash of the content, so that a client never needs to revalidate. */
const IMMUTABLE = "public, max-age=31536000, immutable";

/** Creates the route of these scripts, the user interface's files and the logo, compressed if the client accepts it. */
export function assetRoute(scripts: readonly Script[]): Route<Pick<Services, "brand">> {
  const findAsset = createAssetFinder(scripts);
  const compressed = createCompressor();
  const endpoint = defineEndpoint(
    publicAccess,
    {},
    async ({ request, url }, _principal, _input, { brand: { logo } }: Pick<Services, "brand">) => {
      const found = logo?.path === url.pathname ? logo : findAsset(url.pathname);
      if (found === undefined) throw new ProtocolError("not_found", "There is no such file");
      const { body, headers } = await compressed(found, request.headers.get("accept-encoding"));
      const init = { headers: { "content-type": found.type, "cache-control": IMMUTABLE, ...headers } };
      return new Response(body, init);
    },
  );
  return route("GET", "/assets/:hash/:name", endpoint, {
    id: "getAsset",
    tag: "Pages",
    summary: "A style sheet, script or image of the pages",
    returns: { 200: "file" },
  });
}
