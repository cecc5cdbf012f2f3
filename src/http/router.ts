import { ProtocolError } from "../lib/error.ts";
import type { Route } from "./route.ts";

/** A row and the path parameters of the request that met it. */
export interface Match {
  readonly route: Route;
  readonly params: Readonly<Record<string, string>>;
}

/** What is known of a path: its rows by method (HEAD beside GET). */
export interface Resource {
  /** As its rows write it. */
  readonly path: string;
  readonly rows: ReadonlyMap<string, Route>;
  readonly params: Readonly<Record<string, string>>;
}

/** Finds what stands at a path; undefined for an unknown one. `pathname` is as the URL parser leaves it. */
export type Router = (pathname: string) => Resource | undefined;

interface PatternRows {
  readonly path: string;
  readonly pattern: URLPattern;
  readonly rows: Map<string, Route>;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};
const PATH = /^\/(?:[A-Za-z0-9._-]+|:[A-Za-z]+)?(?:\/(?:[A-Za-z0-9._-]+|:[A-Za-z]+))*$/;

/**
 * Number of segments and the last of them: what tells apart most paths with parameters before any pattern runs, which
 * costs microseconds.
 */
function shapeOf(path: string, last: string): string {
  return `${path.split("/").length}/${last}`;
}

function lastSegment(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

function addRow(rows: Map<string, Route>, row: Route): void {
  const methods = row.method === "GET" ? ["GET", "HEAD"] : [row.method];
  for (const method of methods) {
    if (rows.has(method)) throw new TypeError(`Cannot create router: ${method} ${row.path} stands twice`);
    rows.set(method, row);
  }
}

/** One percent-decoded segment; undefined where it is malformed or hides a slash or a control character. */
function decodeSegment(text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    const decoded = decodeURIComponent(text);
    // deno-lint-ignore no-control-regex -- control characters are what it looks for
    return /[\u0000-\u001f\u007f/\\]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function readParams(
  groups: Readonly<Record<string, string | undefined>>,
): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [name, text] of Object.entries(groups)) {
    const value = decodeSegment(text ?? "");
    if (value === undefined) return undefined;
    params[name] = value;
  }
  return params;
}

/**
 * Static paths are found in a Map before paths with parameters are tried. A parameter is one whole segment. Nothing is
 * made alike: a trailing slash, an empty segment or other letter case is another path. Throws a TypeError for a
 * malformed path and for two rows of one method and path.
 */
export function createRouter(routes: readonly Route[]): Router {
  const fixed = new Map<string, Resource & { readonly rows: Map<string, Route> }>();
  const patterns = new Map<string, PatternRows>();
  const shapes = new Map<string, PatternRows[]>();

  function addPattern(path: string): PatternRows {
    const entry: PatternRows = { path, pattern: new URLPattern({ pathname: path }), rows: new Map() };
    const last = lastSegment(path);
    const shape = shapeOf(path, last.startsWith(":") ? "" : last);
    patterns.set(path, entry);
    shapes.set(shape, [...(shapes.get(shape) ?? []), entry]);
    return entry;
  }

  for (const row of routes) {
    if (!PATH.test(row.path)) throw new TypeError(`Cannot create router: malformed path ${row.path}`);
    if (row.path.includes(":")) {
      addRow((patterns.get(row.path) ?? addPattern(row.path)).rows, row);
    } else {
      const resource = fixed.get(row.path) ??
        { path: row.path, rows: new Map<string, Route>(), params: NO_PARAMS };
      fixed.set(row.path, resource);
      addRow(resource.rows, row);
    }
  }

  function findPattern(pathname: string, shape: string): Resource | undefined {
    for (const { path, pattern, rows } of shapes.get(shape) ?? []) {
      const groups = pattern.exec({ pathname })?.pathname.groups;
      const params = groups && readParams(groups);
      if (params) return { path, rows, params };
    }
    return undefined;
  }

  return (pathname) =>
    fixed.get(pathname) ??
      findPattern(pathname, shapeOf(pathname, lastSegment(pathname))) ??
      findPattern(pathname, shapeOf(pathname, ""));
}

/** The row for a method. Throws `not_found` for an unknown path, `method_not_allowed` with `Allow` (RFC 9110 section 15.5.6). */
export function getRoute(resource: Resource | undefined, method: string): Match {
  if (resource === undefined) throw new ProtocolError("not_found", "Cannot find anything at this path");
  const route = resource.rows.get(method);
  if (route === undefined) {
    const allow = [...resource.rows.keys()].join(", ");
    throw new ProtocolError("method_not_allowed", `Cannot use this method here: allowed are ${allow}`, {
      headers: { Allow: allow },
    });
  }
  return { route, params: resource.params };
}
