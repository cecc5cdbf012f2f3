import { type Html, html } from "../../lib/html.ts";
import { type FrameView, layout } from "../../ui/layout.ts";
import type { ApiDocument, ApiOperation, Json, Media } from "./document.ts";

interface Placed {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

function operationsOf({ paths }: ApiDocument, tag: string): readonly Placed[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).filter(([, { tags }]) => tags.includes(tag)).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    }))
  );
}

/** Renders `code` in a sentence of the document. Its texts have no other markup. */
function renderCode(text: string): readonly (string | Html)[] {
  return text.split(/(`[^`]+`)/).map((part) =>
    part.startsWith("`") ? html`<code>${part.slice(1, -1)}</code>` : part
  );
}

function schemaName(ref: string): string {
  return ref.slice(ref.lastIndexOf("/") + 1);
}

function jsonBlock(value: Json): Html {
  const parts = JSON.stringify(value, null, 2).split(/("\$ref": "#\/components\/schemas\/\w+")/);
  return html`<pre class="api-json">${
    parts.map((part) => {
      if (!part.startsWith('"$ref"')) return part;
      const name = schemaName(part.slice(0, -1));
      return html`<a href="#schema-${name}">${name}</a>`;
    })
  }</pre>`;
}

const KNOWN_AS: Readonly<Record<string, string>> = {
  session: "the session cookie",
  token: "a program’s token",
  signUp: "the sign-up cookie",
  admin: "the admin key",
  client: "a client’s id and secret",
  accessToken: "an access token",
};

function guardLine({ security }: ApiOperation): string {
  const schemes = security.map((scheme) => KNOWN_AS[Object.keys(scheme)[0] ?? ""] ?? "nothing");
  return schemes.length === 0 ? "Needs no authentication." : `Accepts ${schemes.join(" or ")}.`;
}

function parameterRows({ parameters = [] }: ApiOperation): Html | false {
  return parameters.length > 0 && html`
    <h4>Parameters</h4>
    <ul class="api-list">
      ${parameters.map(({ name, in: where, required, description }) =>
        html`<li><code>${name}</code> <span class="fine">${where}${required ? "" : ", optional"}</span>
          ${description !== undefined && html`<br>${renderCode(description)}`}</li>`
      )}
    </ul>
  `;
}

function mediaBlock(title: string, content: Readonly<Record<string, Media>> | undefined): Html | false {
  const [entry] = Object.entries(content ?? {});
  if (entry === undefined || entry[0] === "text/html" || entry[0] === "*/*") return false;
  const [type, { schema, example }] = entry;
  return html`
    <details><summary>${title} <span class="fine">${type}</span></summary>
      ${example !== undefined && html`<p class="fine">For example</p>${jsonBlock(example)}`}
      <p class="fine">Schema</p>${jsonBlock(schema)}
    </details>
  `;
}

function responseRows({ responses }: ApiOperation): Html {
  return html`
    <h4>Responses</h4>
    <ul class="api-list">
      ${Object.entries(responses).map(([status, { description }]) =>
        html`<li><code>${status}</code> ${renderCode(description)}</li>`
      )}
    </ul>
  `;
}

function success({ responses }: ApiOperation): Readonly<Record<string, Media>> | undefined {
  return Object.entries(responses).find(([status]) => status.startsWith("2"))?.[1].content;
}

function operationItem(placed: Placed, baseUrl: string): Html {
  const { method, path, operation } = placed;
  const { operationId, summary, description } = operation;
  return html`
    <article class="card stack" id="${operationId}">
      <h3><a class="api-anchor" href="#${operationId}">${summary}</a></h3>
      <p><code class="api-path">${method} ${path}</code></p>
      ${description !== undefined && html`<p>${renderCode(description)}</p>`}
      <p class="fine">${guardLine(operation)}</p>
      ${parameterRows(operation)}
      ${mediaBlock("Request", operation.requestBody?.content)}
      ${mediaBlock("Response", success(operation))}
      <details><summary>All responses</summary>${responseRows(operation)}</details>
      <pre class="api-curl" aria-label="curl" tabindex="0">${curlFor(placed, baseUrl)}</pre>
    </article>
  `;
}

function tagSection(document: ApiDocument, { name, description }: ApiDocument["tags"][number]): Html {
  const baseUrl = document.servers[0]!.url;
  return html`
    <section class="stack" aria-labelledby="tag-${name}">
      <h2 id="tag-${name}">${name}</h2>
      <p class="lead">${renderCode(description)}</p>
      ${operationsOf(document, name).map((placed) => operationItem(placed, baseUrl))}
    </section>
  `;
}

function schemasSection({ components: { schemas } }: ApiDocument): Html {
  return html`
    <section class="stack" aria-labelledby="schemas">
      <h2 id="schemas">Schemas</h2>
      ${Object.entries(schemas).map(([name, schema]) =>
        html`<details id="schema-${name}"><summary>${name}</summary>${jsonBlock(schema)}</details>`
      )}
    </section>
  `;
}

/** Renders the reference of the HTTP API, with a curl command for each operation. Needs no script. */
export function apiPage(document: ApiDocument, frame: FrameView): Html {
  const { info, tags } = document;
  return layout({
    frame,
    title: "HTTP API",
    contentLanguage: "en",
    content: html`
      <h1>HTTP API</h1>
      <p class="lead">${renderCode(info.description)}</p>
      <p>Version ${info.version}, as <a href="/openapi.json">OpenAPI 3.1</a>. In the commands,
        <code>$TOKEN</code> is a program’s token. Create one under <a href="/developer">Developer</a>.</p>
      <nav class="api-contents" aria-label="Contents">
        <ul>${tags.map(({ name }) => html`<li><a href="#tag-${name}">${name}</a></li>`)}
          <li><a href="#schemas">Schemas</a></li></ul>
      </nav>
      <div class="stack-sections">
        ${tags.map((tag) => tagSection(document, tag))}
        ${schemasSection(document)}
      </div>
    `,
  });
}

interface CalledOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Pick<ApiOperation, "requestBody" | "security" | "parameters">;
}

/** The curl options for each security scheme, the one that a program is likeliest to have first. */
const CREDENTIALS: Readonly<Record<string, string>> = {
  token: '-H "Authorization: Bearer $TOKEN"',
  admin: '-H "Authorization: Bearer $ADMIN_API_KEY"',
  accessToken: '-H "Authorization: Bearer $ACCESS_TOKEN"',
  client: '-u "$CLIENT_ID:$CLIENT_SECRET"',
  session: '-b "service.session_token=$SESSION"',
  signUp: '-b "service.sign_up=$SIGN_UP"',
};

/** Returns the options of the first scheme in `CREDENTIALS` that the operation accepts. */
function credentialOf({ security }: CalledOperation["operation"]): string | undefined {
  const schemes = security.flatMap((scheme) => Object.keys(scheme));
  return Object.entries(CREDENTIALS).find(([name]) => schemes.includes(name))?.[1];
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function bodyOf({ requestBody }: CalledOperation["operation"]): readonly string[] {
  const [entry] = Object.entries(requestBody?.content ?? {});
  if (entry === undefined) return [];
  const [type, { example }] = entry;
  if (type !== "application/json") return ["--data-urlencode 'name=value'"];
  return example === undefined
    ? []
    : ["-H 'Content-Type: application/json'", `-d ${quoted(JSON.stringify(example))}`];
}

/** Replaces path parameters such as `{keyId}` with shell variables such as `$KEY_ID`. */
function shellPath(path: string): string {
  return path.replace(
    /\{([A-Za-z]+)\}/g,
    (_, name: string) => "$" + name.replace(/([A-Z])/g, "_$1").toUpperCase(),
  );
}

/** Returns the curl command of an operation for a POSIX shell. Unknown values are variables such as `$KEY_ID`. */
function curlFor({ method, path, operation }: CalledOperation, baseUrl: string): string {
  const credential = credentialOf(operation);
  const parts = [
    `curl -sS${method === "GET" || method === "POST" ? "" : ` -X ${method}`}`,
    ...(credential === undefined ? [] : [credential]),
    ...bodyOf(operation),
  ];
  const bodiless = method === "POST" && bodyOf(operation).length === 0 ? ["-X POST"] : [];
  return [...parts, ...bodiless, `"${baseUrl}${shellPath(path)}"`].join(" \\\n  ");
}
