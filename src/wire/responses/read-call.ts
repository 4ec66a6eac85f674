import { type Static, Type } from '@sinclair/typebox'
import { contentText } from '../../core/content.ts'
import { isObject } from '../../core/json.ts'
import { toContent } from '../chat/content-pieces.ts'
import { check, optionalText } from '../check.ts'
import { looseText, toolOutput } from './parse-content.ts'
import type { Item, ItemContext, ItemReader } from './read-item.ts'
import type { ToolAddress, ToolKind } from './tool-directory.ts'

const Identity = Type.Object({ call_id: optionalText, id: optionalText })
const NamedCall = Type.Object({
  name: Type.String({ description: 'the name of a tool' }),
  namespace: optionalText,
})

/**
 * Readers of calls and results in the history, by the item's type. Arguments are whatever the model wrote: cut, empty
 * or no JSON at all. Clients that parsed them send an object.
 */
export const callReaders: Readonly<Record<string, ItemReader>> = {
  function_call: (item, context) => readNamedCall(item, context, 'function', looseText(item.arguments)),
  custom_tool_call: (item, context) =>
    readNamedCall(item, context, 'custom', JSON.stringify({ input: inputText(item.input, context.path) })),
  tool_search_call: (item, context) =>
    addCall(item, context, { name: 'tool_search' }, 'tool-search', looseText(item.arguments)),
  local_shell_call: (item, context) =>
    addCall(item, context, { name: 'local_shell' }, 'local-shell', localShellArguments(item.action)),
  shell_call: (item, context) => addCall(item, context, { name: 'shell' }, 'function', looseText(item.action)),
  apply_patch_call: (item, context) =>
    addCall(item, context, { name: 'apply_patch' }, 'function', looseText(item.operation)),
  computer_call: (item, context) =>
    addCall(item, context, { name: 'computer' }, 'function', looseText(item.action ?? item.actions)),
  mcp_call: readServerCall,
  function_call_output: readOutput,
  custom_tool_call_output: readOutput,
  local_shell_call_output: readOutput,
  shell_call_output: readOutput,
  apply_patch_call_output: readOutput,
  computer_call_output: readOutput,
  tool_search_output: readSearchOutput,
}

function readNamedCall(item: Item, context: ItemContext, kind: ToolKind, argumentsText: string): void {
  const { name, namespace } = check(NamedCall, item, context.path)
  addCall(item, context, toAddress(name, namespace), kind, argumentsText)
}

function toAddress(name: string, namespace: string | undefined): ToolAddress {
  const wellFormed = name.toWellFormed()
  return namespace ? { name: wellFormed, namespace: namespace.toWellFormed() } : { name: wellFormed }
}

function addCall(item: Item, context: ItemContext, address: ToolAddress, kind: ToolKind, argumentsText: string): void {
  const { conversation, directory, path } = context
  conversation.call({
    id: callIdOf(check(Identity, item, path)) ?? '',
    name: directory.nameInHistory(address, kind),
    argumentsText,
  })
}

function callIdOf({ call_id, id }: Static<typeof Identity>): string | undefined {
  return (call_id ?? id)?.toWellFormed()
}

/** Returns the input's text. Some clients send the text that the model wrote as parts. */
function inputText(input: unknown, path: string): string {
  return contentText(toContent(toolOutput(input, `${path}.input`), ''))
}

/** Returns the action as the arguments of the function that the model sees. */
function localShellArguments(action: unknown): string {
  if (!isObject(action)) return looseText(action)
  const { command, working_directory, timeout_ms } = action
  return JSON.stringify({ command, workdir: working_directory ?? undefined, timeout_ms: timeout_ms ?? undefined })
}

/** Reads a result. A result without a call id answers the first unanswered call. */
function readOutput(item: Item, { conversation, path }: ItemContext): void {
  const identity = check(Identity, item, path)
  const callId = item.type === 'local_shell_call_output' ? callIdOf(identity) : identity.call_id?.toWellFormed()
  const output = item.output ?? (item.type === 'apply_patch_call_output' ? item.status : undefined)
  conversation.result(callId, toolOutput(output, `${path}.output`))
}

/**
 * Reads the names of found tools for the model. The tools themselves were collected with the request's tools before.
 */
function readSearchOutput(item: Item, { conversation, directory, path }: ItemContext): void {
  const names = toolAddressesIn(item.tools).flatMap((address) => directory.offeredName(address) ?? [])
  const found = names.length === 0 ? 'No tools were found.' : `Tools that can be called now: ${names.join(', ')}`
  conversation.result(check(Identity, item, path).call_id?.toWellFormed(), [found])
}

/** Reads another server's call with its result, both in one item. */
function readServerCall(item: Item, context: ItemContext): void {
  const namespace = typeof item.server_label === 'string' ? item.server_label : undefined
  readNamedCall({ ...item, namespace }, context, 'function', looseText(item.arguments))
  const id = callIdOf(check(Identity, item, context.path)) ?? ''
  context.conversation.result(id, toolOutput(item.output ?? item.error, `${context.path}.output`))
}

/**
 * Returns the addresses of the functions and custom tools in a list, including those in namespaces. Skips everything
 * else.
 */
function toolAddressesIn(tools: unknown): ToolAddress[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool): ToolAddress[] => {
    if (!isObject(tool)) return []
    const { type, name, tools: children } = tool
    if (typeof name !== 'string') return []
    if (type !== 'namespace') return [{ name }]
    return toolAddressesIn(children).map((child) => ({ name: child.name, namespace: name }))
  })
}
