/** Ends a `switch` over a union: the compiler proves it is not reached, and at run time a lie is loud. */
export function unreachable(value: never): never {
  throw new Error(`unexpected value ${JSON.stringify(value)}: this is a bug`)
}
