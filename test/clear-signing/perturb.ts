type Draw = (bound: number) => number;
type Json = Record<string, unknown>;

const ADDRESSES = [
  "0x9858EfFD232B4033E47d90003D41EC34EcaEda94",
  "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0",
  "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
  "0x6B175474E89094C44Da98b954EedeAC495271d0F",
  "0x000000000022D473030F116dDEE9F6B43aC78BA3",
  "0x0000000000000000000000000000000000000000",
  "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
];
const NUMBERS = [
  ...["0", "1", "2", "3", "5", "8453", "1000000", "0x5f5e100", "253402300799", "253402300800"],
  ...[48n, 96n, 112n, 160n, 256n].flatMap((bits) => [(1n << bits) - 1n, (1n << bits) - 2n]).map(String),
];

/**
 * Returns a copy with one to three values replaced by others of their types, as an attacker would to keep the document
 * valid.
 */
export function perturb<Document>(document: Document, draw: Draw): Document {
  const copy = JSON.parse(JSON.stringify(document)) as { domain: Json; message: Json };
  for (let count = draw(3); count >= 0; count--) {
    const places = [...placesIn(copy.domain), ...placesIn(copy.message)];
    const [container, key] = places[draw(places.length)]!;
    container[key] = other(container[key], draw);
  }
  return copy as Document;
}

function placesIn(container: Json): (readonly [Json, string])[] {
  return Object.keys(container).flatMap((key) => {
    const value = container[key];
    const below = typeof value === "object" && value !== null ? placesIn(value as Json) : [];
    return [[container, key] as const, ...below];
  });
}

function other(value: unknown, draw: Draw): unknown {
  if (typeof value === "boolean") return !value;
  if (typeof value === "number" || /^\d+$/.test(String(value))) return NUMBERS[draw(NUMBERS.length)];
  if (Array.isArray(value)) {
    return draw(2) === 0
      ? value.slice(1)
      : [...value, ...Array.from({ length: draw(4) * 2 }, () => value[0])];
  }
  if (typeof value !== "string") return value;
  if (/^0x[0-9a-fA-F]{40}$/.test(value)) {
    return draw(3) === 0 ? "0x" + hex(40, draw) : ADDRESSES[draw(ADDRESSES.length)];
  }
  if (/^0x(?:[0-9a-fA-F]{64})$/.test(value)) return "0x" + hex(64, draw);
  if (value.startsWith("0x")) return changedBytes(value, draw);
  return ["Permit2", "Seaport", "1.5", "1", "\u202Ecniu", ""][draw(6)];
}

function hex(digits: number, draw: Draw): string {
  return Array.from({ length: digits }, () => draw(16).toString(16)).join("");
}

/** Returns the bytes with one changed, some added or some removed. */
export function changedBytes(value: string, draw: Draw): string {
  const at = 2 + 2 * draw(Math.max(1, value.length / 2 - 1));
  switch (draw(4)) {
    case 0:
      return value.slice(0, at);
    case 1:
      return value + hex(2 * (1 + draw(40)), draw);
    default:
      return value.slice(0, at) + hex(2, draw) + value.slice(at + 2);
  }
}
