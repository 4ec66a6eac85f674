import { expect, test } from 'bun:test'
import { changedTools } from './changed-tools.ts'
import { parseCountedRequest } from './parse-request.ts'

const tool = (name: string, description = name) => ({ name, description, input_schema: { type: 'object' } })
const reference = (type: string, name: string) => ({ type, tool: { type: 'tool_reference', name } })
const definition = (name: string, description?: string) => {
  return { type: 'tool_addition', tool: { type: 'tool_definition', definition: tool(name, description) } }
}
const system = (...content: unknown[]) => ({ role: 'system', content })
const hi = { role: 'user', content: 'Hi' }

function offered(...changes: unknown[]): string[] {
  const tools = [tool('a'), tool('b')]
  const request = parseCountedRequest({ model: 'm', tools, messages: [hi, ...changes] })
  return request.tools.map(({ description }) => description ?? '')
}

test('a tool that a system message defines is offered, instead of an older one of its name', () => {
  expect(offered(system(definition('c')))).toEqual(['a', 'b', 'c'])
  expect(offered(system(definition('a', 'new a')))).toEqual(['b', 'new a'])
  expect(offered(system(definition('c', 'old c')), hi, system(definition('c', 'new c')))).toEqual(['a', 'b', 'new c'])
})

test('a tool that a system message takes away is not offered until it comes back', () => {
  const removal = reference('tool_removal', 'a')
  expect(offered(system(removal))).toEqual(['b'])
  expect(offered(system(removal), hi, system(reference('tool_addition', 'a')))).toEqual(['a', 'b'])
  expect(offered(system(removal), hi, system(definition('a', 'new a')))).toEqual(['b', 'new a'])
  expect(offered(system(definition('c')), hi, system(reference('tool_removal', 'c')))).toEqual(['a', 'b'])
})

test('changes that name nothing here, and blocks of other roles, change nothing', () => {
  const strange = [reference('tool_addition', 'x'), reference('tool_removal', 'x'), { type: 'tool_addition' }]
  const elsewhere = { type: 'tool_removal', tool: { type: 'mcp_tool_reference', server_name: 's', name: 'a' } }
  expect(offered(system(...strange, elsewhere))).toEqual(['a', 'b'])
  expect(offered({ role: 'user', content: [reference('tool_removal', 'a')] })).toEqual(['a', 'b'])
})

test('a definition that is no tool is refused where it stands', () => {
  const broken = { type: 'tool_addition', tool: { type: 'tool_definition', definition: { name: 'c d' } } }
  expect(() => offered(system({ type: 'text', text: 'New:' }, broken))).toThrow(
    "'messages[1].content[1].tool.definition.name'",
  )
  expect(
    changedTools([], [null, 7, { role: 'system', content: [null, 'a', { type: 'tool_removal', tool: 3 }] }]),
  ).toEqual([])
})
