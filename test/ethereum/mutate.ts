type Draw = (bound: number) => number;
type Container = Record<string, unknown> | unknown[];

/** Replacements of the wrong kind, size or spelling. */
const STRANGE: readonly string[] = [
  ...["null", "true", "false", "0", "-0", "1", "-1", "1.5", "1e300", "9007199254740992", "-9007199254740993"],
  ...["", " ", "0", "-0", "01", "0x", "0x0", "0X00", "0x00", "0xff", "00", "1e3", "true", "\ud800", "\u0000"]
    .map(quoted),
  ...["constructor", "__proto__", "toString", "EIP712Domain", "name", "chainId", "S0", "a1", "next", "f$0"]
    .map(quoted),
  ...["uint", "uint256", "uint7", "int8", "bytes", "bytes33", "string", "bool", "address", "function"].map(
    quoted,
  ),
  ...["S0[]", "S0[", "S0[01]", "a b", "a,uint256 b", "é", "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD"].map(
    quoted,
  ),
  ...["[]", "{}", "[[]]", "[null]", '{"name":"x","type":"bool"}', '{"__proto__":{"x":1}}', '{"length":0}'],
  "[".repeat(200) + "]".repeat(200),
  `[${Array.from({ length: 300 }, () => 1)}]`,
  quoted("x".repeat(2000)),
];

function quoted(text: string): string {
  return JSON.stringify(text);
}

/** Returns a copy of a JSON document with one to three changes at random places. */
export function mutate(document: unknown, draw: Draw): unknown {
  const copy = JSON.parse(JSON.stringify({ document }));
  for (let count = draw(3); count >= 0; count--) change(copy, draw);
  return copy.document;
}

function change(root: Container, draw: Draw): void {
  const places = placesIn(root);
  if (places.length === 0) return;
  const [container, key] = places[draw(places.length)]!;
  const [otherContainer, otherKey] = places[draw(places.length)]!;
  const other = JSON.parse(JSON.stringify(valueAt(otherContainer, otherKey)));
  const strange = JSON.parse(STRANGE[draw(STRANGE.length)]!);
  switch (draw(7)) {
    case 0:
      return set(container, key, strange);
    case 1:
      return set(container, key, other);
    case 2:
      return remove(container, key);
    case 3:
      return set(container, typeof strange === "string" ? strange : otherKey, other);
    default:
      return set(container, key, respelled(valueAt(container, key)));
  }
}

/** Returns the value in another client's spelling, or unchanged if there is none. */
function respelled(value: unknown): unknown {
  if (typeof value === "number") return String(value);
  if (typeof value === "string" && /^\d+$/.test(value)) return "0x" + BigInt(value).toString(16);
  if (typeof value === "string" && value.startsWith("0x")) return "0x" + value.slice(2).toUpperCase();
  return value;
}

function placesIn(container: Container): [Container, string][] {
  return Object.keys(container).flatMap((key) => {
    const value = valueAt(container, key);
    const below = typeof value === "object" && value !== null ? placesIn(value as Container) : [];
    return [[container, key] as [Container, string], ...below];
  });
}

function valueAt(container: Container, key: string): unknown {
  return (container as Record<string, unknown>)[key];
}

/** Sets an own member as JSON.parse does, including one named __proto__. */
function set(container: Container, key: string, value: unknown): void {
  if (Array.isArray(container) && !/^\d{1,3}$/.test(key)) container.push(value);
  else Object.defineProperty(container, key, { value, configurable: true, enumerable: true, writable: true });
}

function remove(container: Container, key: string): void {
  if (Array.isArray(container)) container.splice(Number(key), 1);
  else delete container[key];
}
