import type { Tool } from '../../core/chat.ts'

/** Address by which a client names a tool. Names are unique only within a namespace. */
export interface ToolAddress {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Kind of item in which a tool's call is returned. */
export type ToolKind = 'function' | 'custom' | 'local-shell' | 'tool-search'

export interface KnownTool extends ToolAddress {
  readonly kind: ToolKind
  /** True if the client wants to know whether arguments are encrypted, which ours never are. */
  readonly hasClearMark: boolean
}

/** Tools by the name that the model sees. Plain data, sent between threads. */
export type ToolNames = ReadonlyMap<string, KnownTool>

interface Entry {
  known: KnownTool
  /** Definition. Undefined for tools that only the history names. */
  tool: Tool | undefined
}

/**
 * Tools of one request. Maps each tool to the name that the model sees, and a called name to its tool. Names are
 * never split, because they may contain any separator.
 */
export class ToolDirectory {
  readonly #byAddress = new Map<string, string>()
  readonly #byVisibleName = new Map<string, Entry>()
  /** Next suffix to try, by base name. */
  readonly #suffixes = new Map<string, number>()

  /** Lets the model call a tool. A later definition under the same address replaces the earlier one. */
  offer(known: KnownTool, definition: Omit<Tool, 'name'>): void {
    const name = this.#register(known)
    this.#byVisibleName.set(name, { known, tool: { ...definition, name } })
  }

  /** Returns the name by which the model may call the tool. */
  offeredName(address: ToolAddress): string | undefined {
    const name = this.#byAddress.get(keyOf(address))
    return name !== undefined && this.#byVisibleName.get(name)?.tool !== undefined ? name : undefined
  }

  /** Returns the tools that the model may call, in order of registration. */
  offered(): Tool[] {
    return [...this.#byVisibleName.values()].flatMap(({ tool }) => tool ?? [])
  }

  /** Returns the name that the model sees for a tool of the history, offered or not. */
  nameInHistory(address: ToolAddress, kind: ToolKind): string {
    const registered = this.#byAddress.get(keyOf(address))
    if (registered !== undefined) return registered
    // The model sees this name as the client wrote it, so there is nothing to map back.
    if (address.namespace === undefined) return address.name
    const known = { ...address, kind, hasClearMark: false }
    const name = this.#register(known)
    this.#byVisibleName.set(name, { known, tool: undefined })
    return name
  }

  /** Returns the tools by the names that the model sees. */
  names(): ToolNames {
    return new Map([...this.#byVisibleName].map(([name, { known }]) => [name, known]))
  }

  #register(address: ToolAddress): string {
    const key = keyOf(address)
    const registered = this.#byAddress.get(key)
    if (registered !== undefined) return registered
    const wanted = address.namespace === undefined ? address.name : joinName(address.namespace, address.name)
    const stem = wanted.slice(0, 58)
    let name = wanted
    let suffix = this.#suffixes.get(stem) ?? 2
    while (this.#byVisibleName.has(name)) name = `${stem}_${suffix++}`
    this.#suffixes.set(stem, suffix)
    this.#byAddress.set(key, name)
    return name
  }
}

/**
 * Returns the tool that a name stands for. Models also write `namespace.name`, `namespace/name` or the bare name, which
 * are accepted if unambiguous. Undefined for an unknown name.
 */
export function toolByName(names: ToolNames, name: string): KnownTool | undefined {
  return (
    names.get(name) ??
    namespaced(names, (known) =>
      [`${known.namespace}.${known.name}`, `${known.namespace}/${known.name}`].includes(name),
    ) ??
    namespaced(names, (known) => known.name === name)
  )
}

function namespaced(names: ToolNames, test: (known: KnownTool) => boolean): KnownTool | undefined {
  const found = [...names.values()].filter((known) => known.namespace !== undefined && test(known))
  return found.length === 1 ? found[0] : undefined
}

function keyOf({ namespace, name }: ToolAddress): string {
  return JSON.stringify([namespace ?? null, name])
}

const maxNameLength = 64

/**
 * Returns a name for a tool inside a namespace: only letters, digits, `_` and `-`, at most 64 characters.
 * Deterministic, but two pairs may give the same name.
 */
export function joinName(namespace: string, name: string): string {
  const separator = namespace.endsWith('__') ? '' : '__'
  const safe = `${namespace}${separator}${name}`.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (safe.length <= maxNameLength) return safe
  const digest = Bun.CryptoHasher.hash('sha256', JSON.stringify([namespace, name]), 'hex')
  return `${safe.slice(0, maxNameLength - 9)}_${digest.slice(0, 8)}`
}
