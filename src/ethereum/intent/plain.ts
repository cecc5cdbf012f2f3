/** A value as `explainTypedData` writes it: integers in decimal, addresses with checksum, bytes as 0x-hex. */
export type Plain = string | boolean | readonly Plain[] | PlainStruct;

export interface PlainStruct {
  readonly [member: string]: Plain;
}
