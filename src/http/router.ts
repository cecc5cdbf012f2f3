import { ProtocolError } from "../lib/error.ts";
import type { Route } from "./route.ts";

export interface Match<S> {
  readonly route: Route<S>;
  readonly params: Readonly<Record<string, string>>;
}

/** The routes of a path by method. HEAD is included with GET. */
export interface Resource<S> {
  readonly path: string;
  readonly rows: ReadonlyMap<string, Route<S>>;
  readonly params: Readonly<Record<string, string>>;
}

/** A function that finds the routes of a path. `pathname` is as the URL parser returns it. */
export type Router<S> = (pathname: string) => Resource<S> | undefined;

interface PatternRows<S> {
  readonly path: string;
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly rows: Map<string, Route<S>>;
}

const NO_PARAMS: Readonly<Record<string, string>> = {};
const PATH = /^\/(?:[A-Za-z0-9._-]+|:[A-Za-z]+)?(?:\/(?:[A-Za-z0-9._-]+|:[A-Za-z]+))*$/;

/** Compiles a path with parameters to a regular expression. URLPattern takes 2 to 8 µs, ten times as long. */
function createPattern<S>(path: string): PatternRows<S> {
  const source = path.replaceAll(".", "\\.").replace(/:[A-Za-z]+/g, "([^/]+)");
  const names = [...path.matchAll(/:([A-Za-z]+)/g)].map((match) => match[1]!);
  return { path, pattern: new RegExp(`^${source}$`), names, rows: new Map() };
}

function addRow<S>(rows: Map<string, Route<S>>, row: Route<S>): void {
  const methods = row.method === "GET" ? ["GET", "HEAD"] : [row.method];
  for (const method of methods) {
    if (rows.has(method)) throw new TypeError(`Cannot create router: ${method} ${row.path} is there twice`);
    rows.set(method, row);
  }
}

/** The parameters that may be a URL (a `client_id`), and so may encode a slash. */
const URL_PARAMETERS: ReadonlySet<string> = new Set(["clientId"]);

/** Decodes a segment; undefined if it is malformed or encodes a slash, a backslash or a control character. */
function decodeSegment(name: string, text: string): string | undefined {
  if (!text.includes("%")) return text;
  try {
    const decoded = decodeURIComponent(text);
    if (decoded.includes("/") && !URL_PARAMETERS.has(name)) return undefined;
    // deno-lint-ignore no-control-regex -- control characters are what it looks for
    return /[\u0000-\u001f\u007f\\]/.test(decoded) ? undefined : decoded;
  } catch {
    return undefined;
  }
}

function readParams(names: readonly string[], groups: RegExpExecArray): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (let index = 0; index < names.length; index++) {
    const value = decodeSegment(names[index]!, groups[index + 1]!);
    if (value === undefined) return undefined;
    params[names[index]!] = value;
  }
  return params;
}

/**
 * Creates a router that tries static paths in a Map before patterns. A parameter matches one whole segment. Does not
 * normalise: a trailing slash, an empty segment or other letter case is a different path. Throws a TypeError for a
 * malformed path and for two routes with the same method and path.
 */
export function createRouter<S>(routes: readonly Route<S>[]): Router<S> {
  const fixed = new Map<string, Resource<S> & { readonly rows: Map<string, Route<S>> }>();
  const patterns = new Map<string, PatternRows<S>>();

  for (const row of routes) {
    if (!PATH.test(row.path)) throw new TypeError(`Cannot create router: malformed path ${row.path}`);
    if (row.path.includes(":")) {
      const entry = patterns.get(row.path) ?? createPattern(row.path);
      patterns.set(row.path, entry);
      addRow(entry.rows, row);
    } else {
      const resource = fixed.get(row.path) ??
        { path: row.path, rows: new Map<string, Route<S>>(), params: NO_PARAMS };
      fixed.set(row.path, resource);
      addRow(resource.rows, row);
    }
  }

  const entries = [...patterns.values()];
  function findPattern(pathname: string): Resource<S> | undefined {
    for (const { path, pattern, names, rows } of entries) {
      const groups = pattern.exec(pathname);
      const params = groups && readParams(names, groups);
      if (params) return { path, rows, params };
    }
    return undefined;
  }

  return (pathname) => fixed.get(pathname) ?? findPattern(pathname);
}

/** Throws `not_found` for an unknown path, `method_not_allowed` with `Allow` (RFC 9110 section 15.5.6). */
export function getRoute<S>(resource: Resource<S> | undefined, method: string): Match<S> {
  if (resource === undefined) throw new ProtocolError("not_found", "Cannot find anything at this path");
  const route = resource.rows.get(method);
  if (route === undefined) {
    const allow = [...resource.rows.keys()].join(", ");
    throw new ProtocolError("method_not_allowed", `Cannot use this method here: use ${allow}`, {
      headers: { Allow: allow },
    });
  }
  return { route, params: resource.params };
}
