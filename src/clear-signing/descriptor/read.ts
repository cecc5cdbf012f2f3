import { asObject } from "../../lib/object.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { readAbiFunction } from "../abi.ts";
import type { Deployment, DescribedFormat, Descriptor, Template } from "./descriptor.ts";
import { readEncodeType } from "./encode-type.ts";
import { leavesOf, readFields } from "./field.ts";
import { DescriptorError, pathText, readPath } from "./path.ts";
import { constantOf } from "./value.ts";
import { dereference, type Json, type Reading } from "./source.ts";
import { isDecimals } from "./value-format.ts";
import { readRoles } from "./roles.ts";
import { asWritten, type DescriptorText, translateOwn } from "./text.ts";

export interface ReadDescriptor {
  readonly descriptor: Descriptor;
  /** A message for each omitted format. What it would describe stays unexplained. */
  readonly refused: readonly string[];
}

/** Reads a merged descriptor (ERC-7730, version 2). Refuses one without contracts; omits unsupported formats. */
export function readDescriptor(
  name: string,
  json: Json,
  author: "operator" | "service" = "operator",
): ReadDescriptor {
  const translate = author === "service" ? translateOwn : asWritten;
  checkVersion(json);
  const context = asObject(json.context);
  const bound = asObject(context?.eip712) ?? asObject(context?.contract);
  if (bound === undefined) throw new DescriptorError("The context has neither eip712 nor contract");
  const kind = asObject(context?.eip712) === undefined ? "contract" : "eip712";
  const formats = asObject(asObject(json.display)?.formats);
  if (formats === undefined) throw new DescriptorError("display.formats is missing");
  const read = new Map<string, DescribedFormat>();
  const refused: string[] = [];
  let isAmbiguous = false;
  for (const [key, format] of Object.entries(formats)) {
    try {
      const [id, described] = readFormat({ descriptor: json, translate }, { kind, author }, [key, format]);
      isAmbiguous ||= read.has(id);
      read.set(id, described);
    } catch (error) {
      if (!(error instanceof DescriptorError)) throw error;
      refused.push(`${key.slice(0, 64)}: ${error.message}`);
    }
  }
  if (isAmbiguous) throw new DescriptorError("A function is described twice");
  const separator = bound.domainSeparator;
  if (separator !== undefined && (typeof separator !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(separator))) {
    throw new DescriptorError("domainSeparator is not 32 bytes as 0x-hex");
  }
  const descriptor: Descriptor = {
    name: translate(name),
    context: kind,
    deployments: readDeployments(bound),
    owner: readOwner(json),
    token: readToken(json),
    domain: kind === "eip712" ? readDomain(bound) : {},
    domainSeparator: separator?.toLowerCase(),
    formats: read,
  };
  return { descriptor, refused };
}

/** Reads a function of the service's own, without a contract. */
export function readOwnFormat(
  key: string,
  format: Json,
): readonly [selector: string, format: DescribedFormat] {
  return readFormat({ descriptor: {}, translate: translateOwn }, { kind: "contract", author: "service" }, [
    key,
    format,
  ]);
}

/** Returns true if the JSON names no contracts: other files include it. */
export function isUnbound(json: Json): boolean {
  const context = asObject(json.context);
  const bound = asObject(context?.eip712) ?? asObject(context?.contract);
  return bound !== undefined && bound.deployments === undefined;
}

function checkVersion({ $schema }: Json): void {
  if (typeof $schema !== "string" || !/(?:^|\/)erc7730-v2(?:\.\d+){0,2}\.schema\.json$/.test($schema)) {
    throw new DescriptorError("$schema is not version 2 of ERC-7730");
  }
}

/** Reads the display name of the contract: its owner, and its own name. Undefined if the file has neither. */
function readOwner({ metadata }: Json): string | undefined {
  const { owner, contractName } = asObject(metadata) ?? {};
  const names = [owner, contractName].filter((name) =>
    typeof name === "string" && name !== "" && name.isWellFormed()
  );
  return names.length === 0 ? undefined : names.join(" ").slice(0, 200);
}

/** Reads the token that the contract is. */
function readToken({ metadata }: Json): Descriptor["token"] {
  const { ticker, decimals } = asObject(asObject(metadata)?.token) ?? {};
  return typeof ticker === "string" && isDecimals(decimals) ? { symbol: ticker, decimals } : undefined;
}

function readDeployments({ deployments, factory }: Json): readonly Deployment[] {
  if (factory !== undefined) throw new DescriptorError("Binding by factory is not supported");
  if (!Array.isArray(deployments) || deployments.length === 0) {
    throw new DescriptorError("deployments is missing: a descriptor must name its contracts");
  }
  return deployments.map((entry) => {
    const { chainId, address } = asObject(entry) ?? {};
    const bytes = typeof address === "string" ? readAddress(address) : undefined;
    if (!Number.isSafeInteger(chainId) || Number(chainId) < 1 || bytes === undefined) {
      throw new DescriptorError(
        "A deployment is not a chainId and an address with its checksum, or in one case",
      );
    }
    return { chainId: String(chainId), address: toChecksumAddress(bytes) };
  });
}

function readDomain({ domain }: Json): Readonly<Record<string, string>> {
  if (domain === undefined) return {};
  const members = asObject(domain);
  if (members === undefined) throw new DescriptorError("domain is not an object");
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => {
      if (name === "verifyingContract") {
        const bytes = typeof value === "string" ? readAddress(value) : undefined;
        if (bytes !== undefined) return [name, toChecksumAddress(bytes)];
      } else if (name === "chainId" ? Number.isSafeInteger(value) : typeof value === "string") {
        if (["name", "version", "chainId", "salt"].includes(name)) return [name, String(value)];
      }
      throw new DescriptorError(`The member ${name} of domain is not supported`);
    }),
  );
}

function readFormat(
  { descriptor, translate }: Pick<Reading, "descriptor" | "translate">,
  { kind, author }: { readonly kind: Descriptor["context"]; readonly author: "operator" | "service" },
  [key, format]: readonly [key: string, format: unknown],
): readonly [id: string, described: DescribedFormat] {
  const called = kind === "contract" ? readAbiFunction(key) : undefined;
  const parameters = kind === "contract" ? called?.parameters : readEncodeType(key);
  const given = asObject(format);
  if (parameters === undefined) {
    throw new DescriptorError("The key is not a function or a type in its canonical form");
  }
  if (given === undefined) throw new DescriptorError("The format is not an object");
  const reading = { parameters, descriptor, translate, prefix: "" };
  const described = {
    called,
    parameters,
    // A format may have no intent: the name of the function or type then says what it is.
    intent: given.intent === undefined
      ? asWritten(key.slice(0, key.indexOf("(")))
      : translate(intentText(given.intent)),
    fields: readFields(reading, given.fields ?? []),
    // The roles decide what is warned of, so an author's are not believed.
    roles: author === "service" ? readRoles(reading, given.roles) : undefined,
  };
  const { interpolatedIntent } = given;
  const text = typeof interpolatedIntent === "string"
    ? translate(interpolatedIntent)
    : author === "service"
    ? interpolatedIntent as DescriptorText
    : undefined;
  const template = text && readTemplates(reading, text, described.fields);
  return [called?.selector ?? key, { ...described, template }];
}

function intentText(intent: unknown): string {
  const parts = typeof intent === "string" ? [intent] : Object.entries(asObject(intent) ?? {}).flat();
  const isSound = parts.every((part) => typeof part === "string" && part !== "" && part.isWellFormed());
  if (parts.length === 0 || !isSound) throw new DescriptorError("The intent is no text");
  return parts.join(" ");
}

function readTemplates(
  reading: Reading,
  { en, de }: DescriptorText,
  fields: DescribedFormat["fields"],
): DescribedFormat["template"] {
  const english = readTemplate(reading, en, fields);
  const german = en === de ? english : readTemplate(reading, de, fields);
  return english && german && { en: english, de: german };
}

/** Reads the author's sentence ("Value interpolation"). Undefined if it uses a field that is not always shown. */
function readTemplate(
  reading: Reading,
  text: string,
  fields: DescribedFormat["fields"],
): Template | undefined {
  const leaves = leavesOf(fields);
  const parts: (string | number)[] = [];
  for (const [part, placeholder] of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    if (part === "{{" || part === "}}") parts.push(part[0]!);
    else if (placeholder?.startsWith("$.")) {
      const constant = constantOf(dereference(reading, placeholder));
      if (constant === undefined) return undefined;
      parts.push(String(constant.value));
    } else if (placeholder !== undefined) {
      const path = readPath(placeholder);
      const index = path === undefined
        ? -1
        : leaves.findIndex(({ from, visible }) =>
          "steps" in from && visible === "always" && pathText(from) === pathText(path)
        );
      if (index < 0) return undefined;
      parts.push(index);
    } else if (part === "{" || part === "}") return undefined;
    else parts.push(part);
  }
  return parts;
}
