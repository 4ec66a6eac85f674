/** Ends a `switch` over a union. The compiler proves that it is not reached; at run time it throws on a wrong type. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}: this is a bug`)
}
