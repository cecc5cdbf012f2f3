import type { ApiOperation } from "./api-document.ts";

interface Called {
  readonly method: string;
  readonly path: string;
  readonly operation: Pick<ApiOperation, "requestBody" | "security" | "parameters">;
}

/** What each way to be known looks like in a command. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  token: '-H "Authorization: Bearer $TOKEN"',
  admin: '-H "Authorization: Bearer $ADMIN_API_KEY"',
  accessToken: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  client: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  session: '-b "service.session_token=$SESSION"',
  signUp: '-b "service.sign_up=$SIGN_UP"',
};

/** The one that a program is likeliest to have. */
function credentialOf({ security }: Called["operation"]): string | undefined {
  const ways = security.flatMap((way) => Object.keys(way));
  return Object.entries(CREDENTIALS).find(([name]) => ways.includes(name))?.[1];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bodyOf({ requestBody }: Called["operation"]): readonly string[] {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (entry === undefined) return [];
  const [type, { example }] = entry;
  if (type !== "application/json") return ["--data-urlencode 'name=value'"];
  return example === undefined
    ? []
    : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`];
}

/** `{keyId}` as a variable of the shell. */
function shellPath(path: string): string {
  return path.replace(
    /\{([A-Za-z]+)\}/g,
    (_, name: string) => "$" + name.replace(/([A-Z])/g, "_$1").toUpperCase(),
  );
}

/** The command that does it, for a POSIX shell: what is missing are variables with names that say what they are. */
export function curlFor({ method, path, operation }: Called, baseUrl: string): string {
  const credential = credentialOf(operation);
  const parts = [
    `curl -sS${method === "GET" || method === "POST" ? "" : ` -X ${method}`}`,
    ...(credential === undefined ? [] : [credential]),
    ...bodyOf(operation),
  ];
  const bodiless = method === "POST" && bodyOf(operation).length === 0 ? ["-X POST"] : [];
  return [...parts, ...bodiless, `"${baseUrl}${shellPath(path)}"`].join(" \\\n  ");
}
