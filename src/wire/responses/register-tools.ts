import { type Static, Type } from '@sinclair/typebox'
import type { Tool } from '../../core/chat.ts'
import { ApiError } from '../../core/errors.ts'
import { isObject } from '../../core/json.ts'
import { customTool, functionTool } from '../chat/tools.ts'
import { check, invalidValue, optionalText, presentFields } from '../check.ts'
import { joinName, type KnownTool, type ToolDirectory } from './tool-directory.ts'

const ToolType = Type.Object({ type: Type.String({ description: 'a string such as "function"' }) })
const Namespace = Type.Object({
  name: Type.String({ description: 'the name of the namespace' }),
  description: optionalText,
  tools: Type.Array(Type.Unknown(), { description: 'an array of tools' }),
})
const ChildName = Type.Object({ name: Type.String({ minLength: 1, description: 'the name of a tool' }) })
const ToolSearch = Type.Object({ execution: Type.Optional(Type.String({ description: '"client" or "server"' })) })

type Fields = Readonly<Record<string, unknown>>

interface ToolSource {
  readonly tools: unknown
  /** Dotted path in the body. */
  readonly path: string
  /** True if the list may not name a tool twice. Lists in the history may repeat and replace earlier ones. */
  readonly isUnique: boolean
}

/**
 * Offers the model the tools of one list. Drops unknown types and tools that only another server could run, which
 * some clients send with every request. Throws ApiError 400 for malformed tools, `tool_name_conflict` for one that a
 * list has twice.
 */
export function registerTools({ tools, path, isUnique }: ToolSource, directory: ToolDirectory): void {
  if (tools === undefined) return
  if (!Array.isArray(tools)) throw invalidValue(path, 'an array of tools')
  const found = tools.flatMap((tool, index) => readTool(tool, `${path}[${index}]`))
  if (isUnique) refuseDuplicates(found)
  // Plain names come first, so that of two similar names the one in the namespace is changed.
  const ordered = found.toSorted((one, other) => Number(isNamespaced(one)) - Number(isNamespaced(other)))
  for (const { known, definition } of ordered) directory.offer(known, definition)
}

/** Returns the number of tools in a list, including those inside namespaces. */
export function countTools(tools: unknown): number {
  if (!Array.isArray(tools)) return 0
  return tools.reduce<number>((sum, tool) => {
    return sum + 1 + (isObject(tool) ? countTools(tool.tools) : 0)
  }, 0)
}

interface FoundTool {
  readonly known: KnownTool
  readonly definition: Omit<Tool, 'name'>
  readonly path: string
}

function isNamespaced({ known }: FoundTool): boolean {
  return known.namespace !== undefined
}

function readTool(value: unknown, path: string): FoundTool[] {
  const fields = presentFields(value, path)
  const { type } = check(ToolType, fields, path)
  switch (type) {
    case 'namespace':
      return readNamespace(check(Namespace, fields, path), path)
    case 'local_shell': {
      const known: KnownTool = { kind: 'local-shell', name: 'local_shell', hasClearMark: false }
      return [{ known, definition: localShellTool, path }]
    }
    case 'tool_search':
      return readToolSearch(fields, path)
    default:
      return readLeaf(fields, type, path)
  }
}

/** Reads a function or a custom tool, the only kinds inside a namespace. */
function readLeaf(fields: Fields, type: string, path: string): FoundTool[] {
  if (type === 'function') {
    const isNested = typeof fields.function === 'object'
    const details = isNested ? presentFields(fields.function, `${path}.function`) : fields
    const { name, ...definition } = functionTool(details, isNested ? `${path}.function` : path)
    return [{ known: { kind: 'function', name, hasClearMark: hasEncryptedProperty(details) }, definition, path }]
  }
  if (type === 'custom') {
    const { name, ...definition } = customTool(fields, path)
    return [{ known: { kind: 'custom', name, hasClearMark: false }, definition, path }]
  }
  return []
}

function readNamespace({ name, description, tools }: Static<typeof Namespace>, path: string): FoundTool[] {
  const namespace = name.toWellFormed()
  const found = tools.flatMap((tool, index) => readChild(tool, namespace, `${path}.tools[${index}]`))
  // Only the first tool carries the namespace's description.
  return found.map((tool, index) => (index > 0 ? tool : withIntroduction(tool, description)))
}

/** Reads a tool inside a namespace. Its name may have any characters, because the model sees another one. */
function readChild(tool: unknown, namespace: string, path: string): FoundTool[] {
  const fields = presentFields(tool, path)
  const { type } = check(ToolType, fields, path)
  if (type !== 'function' && type !== 'custom') return []
  const name = check(ChildName, fields, path).name.toWellFormed()
  return readLeaf({ ...fields, name: joinName(namespace, name) }, type, path).map((found) => {
    const hasClearMark = found.known.hasClearMark || isHandOff(namespace, name)
    return { ...found, known: { ...found.known, name, namespace, hasClearMark } }
  })
}

/**
 * Returns whether the tool hands work to another agent. Clients encrypt its text unless told that this server does
 * not.
 */
function isHandOff(namespace: string, name: string): boolean {
  return namespace === 'collaboration' && ['spawn_agent', 'send_message', 'followup_task'].includes(name)
}

function withIntroduction(tool: FoundTool, introduction = ''): FoundTool {
  const texts = [introduction.toWellFormed(), tool.definition.description ?? ''].filter((text) => text !== '')
  if (texts.length === 0) return tool
  return { ...tool, definition: { ...tool.definition, description: texts.join('\n\n') } }
}

/**
 * Reads a tool search. One that the client runs is a function to the model; one that the server would run is
 * unsupported.
 */
function readToolSearch(fields: Fields, path: string): FoundTool[] {
  if (check(ToolSearch, fields, path).execution !== 'client') return []
  const { name, ...definition } = functionTool({ ...fields, name: 'tool_search' }, path)
  return [{ known: { kind: 'tool-search', name, hasClearMark: false }, definition, path }]
}

function hasEncryptedProperty(fields: Fields): boolean {
  const properties = isObject(fields.parameters) ? (fields.parameters.properties ?? {}) : {}
  return Object.values(properties).some((property) => isObject(property) && property.encrypted === true)
}

function refuseDuplicates(found: readonly FoundTool[]): void {
  const seen = new Set<string>()
  for (const { known, path } of found) {
    const key = JSON.stringify([known.namespace, known.name])
    if (seen.has(key)) {
      const message = `'${path}' has the name '${known.name}', as a tool before it does. Names of tools must differ.`
      throw new ApiError('invalid_request', message, { code: 'tool_name_conflict', param: `${path}.name` })
    }
    seen.add(key)
  }
}

/** Function for the tool `local_shell`, which clients name without describing it. */
const localShellTool: Omit<Tool, 'name'> = {
  description: 'Runs a command on the machine of the user and returns its output.',
  parameters: {
    type: 'object',
    properties: {
      command: { type: 'array', items: { type: 'string' }, description: 'The program and its arguments.' },
      workdir: { type: 'string', description: 'Folder to run it in.' },
      timeout_ms: { type: 'integer', description: 'Time after which it is ended, in milliseconds.' },
    },
    required: ['command'],
  },
}
