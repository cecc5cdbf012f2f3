import { armor, Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { utf8 } from "../lib/bytes.ts";

// Files in the age format (age-encryption.org/v1), so that a holder can use any tool of that format for the identity.

/** A fault of a share, an answer or a request. The message is a sentence for the operator, without its full stop. */
export class RecoveryFault extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RecoveryFault";
  }
}

export interface FreshIdentity {
  /** Secret. */
  readonly identity: string;
  readonly recipient: string;
}

/** Draws an identity that lives as long as one request. */
export async function makeIdentity(): Promise<FreshIdentity> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

/** Reads the lines of an age file of recipients or identities, without comments. */
export function readLines(text: string): readonly string[] {
  return text.split(/\r?\n/).map((line) => line.trim()).filter((line) =>
    line !== "" && !line.startsWith("#")
  );
}

/** Encrypts a value as JSON to one recipient. Throws `RecoveryFault` if that is not a recipient. */
export async function encryptTo(recipient: string, value: object): Promise<Uint8Array> {
  const encrypter = new Encrypter();
  try {
    encrypter.addRecipient(recipient);
  } catch (cause) {
    throw new RecoveryFault(`${recipient.slice(0, 70)} is no age recipient`, { cause });
  }
  return await encrypter.encrypt(utf8(JSON.stringify(value)));
}

const ARMOR = "-----BEGIN AGE";

/**
 * Decrypts what `encryptTo` returned, armored or not. Throws `RecoveryFault` with this sentence if no identity fits.
 */
export async function decryptWith(
  identities: readonly string[],
  bytes: Uint8Array,
  sentence: string,
): Promise<unknown> {
  try {
    const decrypter = new Decrypter();
    for (const identity of identities) decrypter.addIdentity(identity);
    const text = new TextDecoder().decode(bytes.subarray(0, ARMOR.length));
    const raw = text === ARMOR ? armor.decode(new TextDecoder().decode(bytes)) : bytes;
    return JSON.parse(await decrypter.decrypt(raw, "text")) as unknown;
  } catch (cause) {
    throw new RecoveryFault(sentence, { cause });
  }
}
