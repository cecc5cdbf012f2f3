import * as v from "valibot";

/** A schema of a response or its part. Its output equals its input. */
export type ResponseSchema<T = unknown> = v.GenericSchema<T, T>;

/** Any schema, for inspection only. */
export type AnySchema = v.GenericSchema;

export type Of<S extends AnySchema> = v.InferOutput<S>;

function textLike(pattern: RegExp, description: string): ResponseSchema<string> {
  return v.pipe(v.string(), v.regex(pattern), v.description(description));
}

export const Time = v.pipe(v.string(), v.isoTimestamp(), v.description("ISO 8601 in UTC with milliseconds"));

export const Address = textLike(/^0x[0-9a-fA-F]{40}$/, "An address with its checksum (EIP-55)");

export const Hex = textLike(/^0x(?:[0-9a-f]{2})*$/, "Bytes as 0x-hex");

export const Bytes32 = textLike(/^0x[0-9a-f]{64}$/, "32 bytes as 0x-hex");

export const Signature = textLike(/^0x[0-9a-f]{128}1[bc]$/, "65 bytes r, s, v; v is 27 or 28");

export const Decimal = textLike(/^[0-9]+$/, "An integer in decimal digits");

export const Base64url = textLike(/^[A-Za-z0-9_-]*$/, "Base64url without padding");

export const KeyId = textLike(/^key_[0-9a-v]{26}$/, "The id of a key");

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

export const NextCursor = v.pipe(
  v.nullable(v.string()),
  v.description("Send it as `cursor` for the next page; null on the last page"),
);

/** Creates a schema of a list of any length. The order is significant. */
export function list<T>(item: v.GenericSchema<T, T>): ResponseSchema<readonly T[]> {
  return v.pipe(v.array(item), v.readonly());
}

export const Done = v.strictObject({ success: v.literal(true) });

/** Creates a schema of a string that `read` normalises. `message` describes the expected text. */
export function textOf(
  read: (text: string) => string | undefined,
  message: string,
): v.GenericSchema<string, string> {
  return v.pipe(
    v.string(),
    v.rawTransform(({ dataset, addIssue, NEVER }) => {
      const text = read(dataset.value);
      if (text !== undefined) return text;
      addIssue({ message });
      return NEVER;
    }),
  );
}
