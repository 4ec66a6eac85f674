import { isObject, type JsonObject } from '../../core/json.ts'

/** A tool as it came. */
export interface SentTool {
  readonly value: unknown
  /** Dotted place in the request body. */
  readonly path: string
}

/**
 * Returns the tools of a body after the changes that its system messages make, in order: a newly defined tool is
 * offered too, replacing an older one of that name; a removed tool is not. Never throws: changes to unknown tools
 * have no effect.
 */
export function changedTools(tools: readonly unknown[], messages: readonly unknown[]): SentTool[] {
  const sent = tools.map((value, index) => ({ value, path: `tools[${index}]` }))
  const defined = new Map<string, SentTool>()
  const removed = new Set<string>()
  for (const { isAddition, tool, path } of changesIn(messages)) {
    const name = nameOf(tool.type === 'tool_definition' ? tool.definition : tool)
    if (isAddition) removed.delete(name)
    else if (tool.type === 'tool_reference') removed.add(name)
    if (isAddition && tool.type === 'tool_definition') {
      defined.set(name, { value: tool.definition, path: `${path}.tool.definition` })
    }
  }
  const all = [...sent.filter(({ value }) => !defined.has(nameOf(value))), ...defined.values()]
  return all.filter(({ value }) => !removed.has(nameOf(value)))
}

function changesIn(messages: readonly unknown[]) {
  return messages.flatMap((message, messageIndex) => {
    const { role, content } = fieldsOf(message)
    if (role !== 'system' || !Array.isArray(content)) return []
    return content.flatMap((block, index) => {
      const { type, tool } = fieldsOf(block)
      if (type !== 'tool_addition' && type !== 'tool_removal') return []
      const path = `messages[${messageIndex}].content[${index}]`
      return { isAddition: type === 'tool_addition', tool: fieldsOf(tool), path }
    })
  })
}

function nameOf(tool: unknown): string {
  const { name } = fieldsOf(tool)
  return typeof name === 'string' ? name : ''
}

function fieldsOf(value: unknown): JsonObject {
  return isObject(value) ? value : {}
}
