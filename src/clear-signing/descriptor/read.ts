import { asObject } from "../../lib/object.ts";
import { readAddress, toChecksumAddress } from "../../ethereum/address.ts";
import { readAbiFunction } from "../abi.ts";
import type { Deployment, DescribedFormat, Descriptor, Template } from "./descriptor.ts";
import { DescriptorError, pathText, readEncodeType, readPath } from "./path.ts";
import { type DescribedField, type FieldReading, readFields } from "./field.ts";
import { asWritten, type DescriptorText, type Translate } from "./text.ts";

type Json = Readonly<Record<string, unknown>>;

export interface ReadDescriptor {
  readonly descriptor: Descriptor;
  /** A message for each omitted format. What it would describe stays unexplained. */
  readonly refused: readonly string[];
}

/** Reads a merged descriptor (ERC-7730, version 2). Refuses one without contracts; omits unsupported formats. */
export function readDescriptor(name: string, json: Json, translate: Translate = asWritten): ReadDescriptor {
  checkVersion(json);
  const context = asObject(json.context);
  const bound = asObject(context?.eip712) ?? asObject(context?.contract);
  if (bound === undefined) throw new DescriptorError("The context has neither eip712 nor contract");
  const kind = asObject(context?.eip712) === undefined ? "contract" : "eip712";
  const formats = asObject(asObject(json.display)?.formats);
  if (formats === undefined) throw new DescriptorError("display.formats is missing");
  const read = new Map<string, DescribedFormat>();
  const refused: string[] = [];
  for (const [key, format] of Object.entries(formats)) {
    try {
      const [id, described] = readFormat({ descriptor: json, translate }, kind, [key, format]);
      if (read.has(id)) throw new DescriptorError("The same function is described twice");
      read.set(id, described);
    } catch (error) {
      if (!(error instanceof DescriptorError)) throw error;
      refused.push(`${name}: ${key.slice(0, 64)}: ${error.message}`);
    }
  }
  const separator = bound.domainSeparator;
  if (separator !== undefined && (typeof separator !== "string" || !/^0x[0-9a-fA-F]{64}$/.test(separator))) {
    throw new DescriptorError("domainSeparator is not 32 bytes as 0x-hex");
  }
  const descriptor: Descriptor = {
    name: translate(name),
    context: kind,
    deployments: readDeployments(bound),
    domain: kind === "eip712" ? readDomain(bound) : {},
    domainSeparator: separator?.toLowerCase(),
    formats: read,
  };
  return { descriptor, refused };
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
        if (["name", "version", "chainId"].includes(name)) return [name, String(value)];
      }
      throw new DescriptorError(`The member ${name} of domain is not supported`);
    }),
  );
}

function readFormat(
  { descriptor, translate }: Omit<FieldReading, "parameters">,
  kind: Descriptor["context"],
  [key, format]: readonly [key: string, format: unknown],
): readonly [id: string, described: DescribedFormat] {
  const called = kind === "contract" ? readAbiFunction(key) : undefined;
  const parameters = kind === "contract" ? called?.parameters : readEncodeType(key);
  const given = asObject(format);
  if (parameters === undefined) {
    throw new DescriptorError("The key is not a function or a type in its canonical form");
  }
  if (given === undefined) throw new DescriptorError("The format is not an object");
  const fields = readFields({ parameters, descriptor, translate }, given.fields ?? []);
  const intent = translate(intentText(given.intent));
  const template = typeof given.interpolatedIntent === "string"
    ? readTemplates(translate(given.interpolatedIntent), fields)
    : undefined;
  return [called?.selector ?? key, { called, intent, template, fields }];
}

function intentText(intent: unknown): string {
  const parts = typeof intent === "string" ? [intent] : Object.entries(asObject(intent) ?? {}).flat();
  const isSound = parts.every((part) => typeof part === "string" && part !== "" && part.isWellFormed());
  if (parts.length === 0 || !isSound) throw new DescriptorError("The intent is missing");
  return parts.join(" ");
}

function readTemplates(
  { en, de }: DescriptorText,
  fields: readonly DescribedField[],
): DescribedFormat["template"] {
  const english = readTemplate(en, fields);
  const german = en === de ? english : readTemplate(de, fields);
  return english && german && { en: english, de: german };
}

/** Reads the author's sentence ("Value interpolation"). Undefined if it uses a field that is not always shown. */
function readTemplate(
  text: string,
  fields: readonly DescribedField[],
): Template | undefined {
  const parts: (string | number)[] = [];
  for (const [part, placeholder] of text.matchAll(/\{\{|\}\}|\{([^{}]*)\}|[^{}]+|[{}]/g)) {
    if (part === "{{" || part === "}}") parts.push(part[0]!);
    else if (placeholder !== undefined) {
      const path = readPath(placeholder);
      const index = path === undefined
        ? -1
        : fields.findIndex((field) =>
          "path" in field && field.visible === "always" && pathText(field.path) === pathText(path)
        );
      if (index < 0) return undefined;
      parts.push(index);
    } else if (part === "{" || part === "}") return undefined;
    else parts.push(part);
  }
  return parts;
}
