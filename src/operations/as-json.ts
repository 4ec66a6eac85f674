/** Type of a value after a round trip through JSON. Undefined becomes null. */
export type AsJson<Value> = Value extends undefined
  ? null
  : Value extends readonly (infer Item)[]
    ? readonly AsJson<Item>[]
    : Value extends object
      ? { readonly [Key in keyof Value]: AsJson<Value[Key]> }
      : Value

/**
 * Returns the value after a round trip through JSON, so that it is the same whether the server answered or the command
 * did the work.
 */
export function asJson<Value>(value: Value): AsJson<Value> {
  return JSON.parse(toJsonText(value)) // the type says what this does
}

export function toJsonText(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => (part === undefined ? null : part))
}
