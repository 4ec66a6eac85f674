import type { Tool } from '../../core/chat.ts'

/** What a client calls a tool by. Names are unique within a namespace only. */
export interface ToolAddress {
  readonly name: string
  readonly namespace?: string | undefined
}

/** Decides which kind of item a call of the tool comes back as. */
export type ToolKind = 'function' | 'custom' | 'local-shell' | 'tool-search'

export interface KnownTool extends ToolAddress {
  readonly kind: ToolKind
  /** The client wants to be told whether arguments come encrypted: ours never do. */
  readonly hasClearMark: boolean
}

/** Tools by the name that the model sees. Plain data: it is made in one thread and used in another. */
export type ToolNames = ReadonlyMap<string, KnownTool>

interface Entry {
  known: KnownTool
  /** Absent for tools that only the history names. */
  tool: Tool | undefined
}

/**
 * The tools of one request: which name the model sees for each, and what a name that the model calls stands for. Names
 * are mapped, never taken apart: they may contain whatever joins them.
 */
export class ToolDirectory {
  readonly #byAddress = new Map<string, string>()
  readonly #byVisibleName = new Map<string, Entry>()
  /** Next suffix to try, by the name that it is put behind. */
  readonly #suffixes = new Map<string, number>()

  /** Lets the model call a tool. A later definition under the same address replaces the earlier one, in its place. */
  offer(known: KnownTool, definition: Omit<Tool, 'name'>): void {
    const name = this.#register(known)
    this.#byVisibleName.set(name, { known, tool: { ...definition, name } })
  }

  /** The name by which the model may call the tool. */
  offeredName(address: ToolAddress): string | undefined {
    const name = this.#byAddress.get(keyOf(address))
    return name !== undefined && this.#byVisibleName.get(name)?.tool !== undefined ? name : undefined
  }

  /** Tools that the model may call, in the order in which they came. */
  offered(): Tool[] {
    return [...this.#byVisibleName.values()].flatMap(({ tool }) => tool ?? [])
  }

  /** The name that the model sees for a tool of the history, offered or not. */
  nameInHistory(address: ToolAddress, kind: ToolKind): string {
    const registered = this.#byAddress.get(keyOf(address))
    if (registered !== undefined) return registered
    // Nothing to restore: the model sees what the client said.
    if (address.namespace === undefined) return address.name
    const known = { ...address, kind, hasClearMark: false }
    const name = this.#register(known)
    this.#byVisibleName.set(name, { known, tool: undefined })
    return name
  }

  /** What the names that the model sees stand for. */
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
 * The tool that a name stands for. Models also write `namespace.name`, `namespace/name` or the bare name: taken where it
 * means one tool only. Undefined for a name that stands for none.
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
 * One name for a tool inside a namespace, of letters, digits, `_` and `-` only, at most 64 characters. The same for the
 * same pair always; two pairs may come out alike.
 */
export function joinName(namespace: string, name: string): string {
  const separator = namespace.endsWith('__') ? '' : '__'
  const safe = `${namespace}${separator}${name}`.replace(/[^a-zA-Z0-9_-]/g, '_')
  if (safe.length <= maxNameLength) return safe
  const digest = Bun.CryptoHasher.hash('sha256', JSON.stringify([namespace, name]), 'hex')
  return `${safe.slice(0, maxNameLength - 9)}_${digest.slice(0, 8)}`
}
