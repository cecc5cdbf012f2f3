import * as v from "valibot";

/** A schema of an answer or of a part of one. What it makes of a value is the value. */
export type AnswerSchema<T = unknown> = v.GenericSchema<T, T>;

/** Any schema, for who only looks at it. */
export type AnySchema = v.GenericSchema;

/** What a schema describes. */
export type Of<S extends AnySchema> = v.InferOutput<S>;

/** A text that matches, for what has a form of its own. */
function textLike(pattern: RegExp, description: string): AnswerSchema<string> {
  return v.pipe(v.string(), v.regex(pattern), v.description(description));
}

/** An instant: ISO 8601 in UTC. */
export const Time = v.pipe(v.string(), v.isoTimestamp(), v.description("ISO 8601 in UTC with milliseconds"));

export const Address = textLike(/^0x[0-9a-fA-F]{40}$/, "An address with its checksum (EIP-55)");

export const Hex = textLike(/^0x(?:[0-9a-f]{2})*$/, "Bytes as 0x-hex");

export const Bytes32 = textLike(/^0x[0-9a-f]{64}$/, "32 bytes as 0x-hex");

export const Signature = textLike(/^0x[0-9a-f]{128}1[bc]$/, "65 bytes r, s, v; v is 27 or 28");

export const Decimal = textLike(/^[0-9]+$/, "An integer in decimal digits");

export const Base64url = textLike(/^[A-Za-z0-9_-]*$/, "Base64url without padding");

export const KeyId = textLike(/^key_[0-9a-v]{26}$/, "The id of a key");

export const Count = v.pipe(v.number(), v.integer(), v.minValue(0));

/** Where a list goes on. */
export const NextCursor = v.pipe(
  v.nullable(v.string()),
  v.description("Send it as `cursor` for the next page; null on the last"),
);

/** Any number of them, in an order that means something. */
export function list<T>(item: v.GenericSchema<T, T>): AnswerSchema<readonly T[]> {
  return v.pipe(v.array(item), v.readonly());
}

export const Done = v.strictObject({ success: v.literal(true) });

/** A text that `read` normalises; `message` says what it should have been where it answers undefined. */
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
