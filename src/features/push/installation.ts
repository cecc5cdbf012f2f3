import { publicAccess } from "../../http/guard/guard.ts";
import { defineEndpoint } from "../../http/route.ts";
import type { Services } from "../../http/services.ts";
import { ICON, textOf } from "../../ui/assets.ts";
import { joinScript } from "../../ui/join-scripts.ts";
import * as serviceWorker from "./service-worker.js" with { type: "text" };

/** The colour of the pages, for the window before the first one is loaded. */
const GROUND = "#f5f7f6";

function file(type: string, body: string): Promise<Response> {
  // A client asks again each time: the path stays when the content changes.
  return Promise.resolve(
    new Response(body, { headers: { "content-type": type, "cache-control": "no-cache" } }),
  );
}

/** Returns the description by which a browser installs the pages (Web Application Manifest). Names no account. */
export const getManifest = defineEndpoint(
  publicAccess,
  {},
  (_context, _principal, _input, { brand: { name, logo } }: Pick<Services, "brand">) => {
    const { path, type } = logo ?? ICON.get();
    return file(
      "application/manifest+json",
      JSON.stringify({
        id: "/",
        name,
        short_name: name,
        start_url: "/",
        scope: "/",
        display: "standalone",
        background_color: GROUND,
        theme_color: GROUND,
        icons: [{ src: path, type, sizes: "any" }],
      }),
    );
  },
);

let workerText: string | undefined;

/** Returns the script that shows push messages. It is at the root, because a worker serves pages below its path. */
export const getServiceWorker = defineEndpoint(
  publicAccess,
  {},
  () => {
    workerText ??= joinScript("service-worker.js", [["service-worker.js", textOf(serviceWorker)]]).text;
    return file("text/javascript; charset=utf-8", workerText);
  },
);
