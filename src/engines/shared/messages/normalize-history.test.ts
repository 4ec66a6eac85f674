import { expect, test } from 'bun:test'
import type { ChatMessage } from '../../../core/chat.ts'
import { contentText, textContent } from '../../../core/content.ts'
import { allAbilities } from '../../../testing/template-models.ts'
import { normalizeHistory } from './normalize-history.ts'
import { carefulAbilities, plainestAbilities, type TemplateAbilities } from './template-abilities.ts'

/**
 * Reads a history from one line: `u:hi` is a user, `a:yes` an assistant, `a:wait+x,y` an assistant that calls x and y,
 * `t.x:5` a result of x.
 */
function read(line: string): ChatMessage[] {
  return line.split(' ').map((item) => {
    const [head = '', text = ''] = item.split(':')
    const [said = '', calls] = text.split('+')
    const [letter = '', id] = head.split('.')
    return {
      role: roles[letter] ?? 'user',
      content: textContent(said),
      ...(calls !== undefined && { toolCalls: calls.split(',').map(callOf) }),
      ...(id !== undefined && { toolCallId: id }),
    }
  })
}

const roles: Readonly<Record<string, ChatMessage['role']>> = { s: 'system', u: 'user', a: 'assistant', t: 'tool' }
const callOf = (id: string) => ({ id, name: `do_${id}`, argumentsText: '{"n": 1}' })

function written(messages: readonly ChatMessage[]): string[] {
  return messages.map(({ role, content, toolCalls, toolCallId }) => {
    const calls = toolCalls === undefined ? '' : `+${toolCalls.map(({ id }) => id)}`
    return `${role[0]}${toolCallId === undefined ? '' : `.${toolCallId}`}:${contentText(content)}${calls}`
  })
}

const strict: TemplateAbilities = {
  ...allAbilities,
  ...{ system: 'first', repeatsRoles: false, userAfterResults: false, assistantFirst: false, looseResults: false },
}
const call = '<tool_call>\n{"name": "do_x", "arguments": {"n": 1}}\n</tool_call>'

test.each<[name: string, abilities: TemplateAbilities, given: string, shown: readonly string[]]>([
  ['all is shown as it comes', allAbilities, 'u:1 u:2 s:3 a:4 a:5', ['u:1', 'u:2', 's:3', 'a:4', 'a:5']],
  ['an empty message is as if it were not there', allAbilities, 's: u:1 a: u: a:', ['u:1']],
  ['where nothing is said the user has the turn', allAbilities, 'a: u:', ['u:']],
  ['an empty result stays', allAbilities, 'u:1 a:+x t.x:', ['u:1', 'a:+x', 't.x:']],
  [
    'results stand behind their calls',
    allAbilities,
    'u:1 a:+x,y t.y:2 u:3 t.x:4',
    ['u:1', 'a:+x,y', 't.x:4', 't.y:2', 'u:3'],
  ],
  ['a result behind an answer stays there', allAbilities, 'u:1 a:+x a:2 t.x:3', ['u:1', 'a:+x', 'a:2', 't.x:3']],
  ['ids may be used again', allAbilities, 'a:+x t.x:1 a:+x t.x:2', ['a:+x', 't.x:1', 'a:+x', 't.x:2']],
  ['results without ids go by their order', allAbilities, 'a:+x,y t:1 t.z:2', ['a:+x,y', 't.x:1', 't.y:2']],
  ['a result of no call is the user’s', strict, 'u:1 t.q:2', ['u:1\n\nResult of a tool call:\n2']],
  ['system messages at the beginning are one', strict, 's:1 s:2 u:3', ['s:1\n\n2', 'u:3']],
  ['later ones stay where they stand', strict, 's:1 u:2 s:3 a:4 s:5 u:6', ['s:1', 'u:2\n\n3', 'a:4', 'u:5\n\n6']],
  ['one behind a result is part of it', strict, 'u:1 a:+x s:2 t.x:3', ['u:1', 'a:+x', 't.x:3\n\n2']],
  [
    'a template without system gets it from the user',
    { ...strict, system: 'nowhere' },
    's:1 u:2 a:3',
    ['u:1\n\n2', 'a:3'],
  ],
  ['speakers take turns', strict, 'a:1 u:2 u:3 a:4 a:5', ['u:…', 'a:1', 'u:2\n\n3', 'a:4\n\n5']],
  ['calls are no turns', strict, 'u:1 a:+x t.x:2 u:3', ['u:1', 'a:+x', 't.x:2', 'a:OK.', 'u:3']],
  ['text joins the call behind it', strict, 'u:1 a:2 a:+x t.x:3 a:4', ['u:1', 'a:2+x', 't.x:3', 'a:4']],
  [
    'text that a call would hide stands in front of it',
    { ...strict, textBesideCalls: false },
    'u:1 a:2+x t.x:3 a:4',
    ['u:1', 'a:2', 'a:+x', 't.x:3', 'u:…', 'a:4'],
  ],
  [
    'calls are made one after the other',
    { ...allAbilities, calls: 'one' },
    'u:1 a:2+x,y t.x:3 t.y:4',
    ['u:1', 'a:2+x', 't.x:3', 'a:+y', 't.y:4'],
  ],
  [
    'a call without a result gets one',
    { ...strict, openCalls: false },
    'u:1 a:+x',
    ['u:1', 'a:+x', 't.x:(no result yet)'],
  ],
  ['a prompt needs a user', { ...strict, withoutUser: false }, 's:1', ['s:1', 'u:…']],
  [
    'calls are told in words',
    plainestAbilities,
    'u:1 a:2+x t.x:3 u:4',
    ['u:1', `a:2\n\n${call}`, 'u:Result of do_x:\n3\n\n4'],
  ],
  [
    'a template that has a syntax of its own is not shown another',
    { ...allAbilities, calls: 'none' },
    'u:1 a:+x t.x:2',
    ['u:1', 't.x:Result of do_x with {"n": 1}:\n2'],
  ],
  [
    'a server gets no words between a result and the user',
    carefulAbilities,
    'u:1 a:+x t.x:2 u:3',
    ['u:1', 'a:+x', 't.x:2', 'u:3'],
  ],
])('%s', (_, abilities, given, shown) => {
  expect(written(normalizeHistory(read(given), abilities))).toEqual([...shown])
})

test('thinking that would hide the text beside it is left out', () => {
  const given: ChatMessage[] = [...read('u:1'), { role: 'assistant', content: textContent('2'), reasoning: 'Hm.' }]
  const [, shown] = normalizeHistory(given, { ...allAbilities, textBesideThinking: false })
  expect(shown).toEqual({ role: 'assistant', content: textContent('2') })
  expect(normalizeHistory(given, allAbilities)).toEqual(given)
})

test('where a template shows no nested arguments, they are texts', () => {
  const toolCalls = ['{"a": {"b": [1]}, "c": null}', '{"big": 12345678901234567890}', 'no JSON'].map(
    (argumentsText) => ({
      ...{ id: 'x', name: 'f', argumentsText },
    }),
  )
  const [, message] = normalizeHistory([...read('u:1'), { role: 'assistant', content: [], toolCalls }], {
    ...allAbilities,
    nestedArguments: false,
  })
  expect(message?.toolCalls?.map(({ argumentsText }) => argumentsText)).toEqual([
    '{"a":"{\\"b\\":[1]}","c":null}',
    '{"big": 12345678901234567890}',
    'no JSON',
  ])
})
